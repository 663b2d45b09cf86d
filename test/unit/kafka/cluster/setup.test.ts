import { expect, test } from "vitest";
import { setUp } from "../../../../src/kafka/cluster/setup.ts";
import type { Cluster } from "../../../../src/kafka/cluster/cluster.ts";
import { errorOfCode } from "../../../../src/kafka/errors.ts";
import { RegistryError } from "../../../../src/kafka/schema/registry-http.ts";
import type { Registry } from "../../../../src/kafka/schema/registry.ts";
import { UsageError } from "../../../../src/runtime/errors.ts";

const names = {
  transactionStatus: "events",
  commands: "commands",
  results: "results",
  journal: "journal",
  deadLetters: "letters",
  audit: "audit",
  control: "control",
};
const options = { names, partitions: 6, replicationFactor: 1, largestRecords: [], dryRun: false };

/** The error of a setup whose cluster and registry answer so. */
const failure = async (create: Error | null, register: Error | null): Promise<UsageError> => {
  const answer = (error: Error | null) => (error ? Promise.reject(error) : Promise.resolve(1));
  const cluster = {
    find: () => Promise.resolve(new Map()),
    create: () => answer(create).then(() => undefined),
  };
  const nothing = () => Promise.resolve(null);
  const registry = { find: nothing, incompatibility: nothing, register: () => answer(register) };
  const ports = { cluster: cluster as unknown as Cluster, registry: registry as unknown as Registry };
  const error: unknown = await setUp(options, { ...ports, say: () => undefined }).catch(
    (each: unknown) => each,
  );
  if (error instanceof UsageError) return error;
  throw new Error("no UsageError", { cause: error });
};

const registryError = (status?: number): Error =>
  new RegistryError(
    `the schema registry answered ${status} (its reason)`,
    status === undefined ? {} : { status },
  );

const REFUSED = {
  INVALID_PARTITIONS: /partitions.*: set TOPIC_PARTITIONS\.$/,
  TOPIC_AUTHORIZATION_FAILED: /authorized.*: this user needs the right Create /,
  POLICY_VIOLATION: /policy.*: ask those who run the cluster/,
};
const CODES = { INVALID_PARTITIONS: 37, TOPIC_AUTHORIZATION_FAILED: 29, POLICY_VIOLATION: 44 };

test.each(Object.keys(CODES) as (keyof typeof CODES)[])(
  "%s is said for each topic, and is final",
  async (code) => {
    const { message, cause } = await failure(errorOfCode(CODES[code]), null);
    expect(cause).toBeUndefined();
    expect(message.split("\n")).toHaveLength(7);
    for (const sentence of message.split("\n")) expect(sentence).toMatch(REFUSED[code]);
  },
);

test.each([403, 409, 422])("%i of the registry is said for each schema, and is final", async (status) => {
  const { message, cause } = await failure(null, registryError(status));
  expect(cause).toBeUndefined();
  expect(message.split("\n")).toHaveLength(4);
  for (const sentence of message.split("\n")) expect(sentence).toMatch(/\(its reason\): see /);
});

const MAY_PASS = { UNKNOWN: -1, NOT_CONTROLLER: 41, "a code of a later Kafka": 9_999 };

test.each([
  ...Object.values(MAY_PASS).map((code) => () => failure(errorOfCode(code), null)),
  () => failure(new Error("Connection timeout"), null),
  ...[401, 404, 429, 500, undefined].map((status) => () => failure(null, registryError(status))),
])("what may pass ends it, and is no refusal (%#)", async (ended) => {
  const { message, cause } = await ended();
  expect(cause).toBeInstanceOf(Error);
  expect(message).toMatch(/^Setup did not finish: .*\. It can be run again\.$/);
});
