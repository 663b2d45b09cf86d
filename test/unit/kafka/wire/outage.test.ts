import { expect, it } from "vitest";
import {
  outageAdvice,
  isRegistryError,
  describeOutage,
  explainOutage,
} from "../../../../src/kafka/wire/outage.ts";
import { errorOfCode } from "../../../../src/kafka/errors.ts";
import { RegistryError } from "../../../../src/kafka/schema/registry-http.ts";
import { SignInError } from "../../../../src/kafka/sign-in/sign-in-error.ts";
import { OutageError, UsageError } from "../../../../src/runtime/errors.ts";
import type { Config } from "../../../../src/config/config.ts";

const config = {
  kafka: { brokers: ["one:9092", "two:9092"], saslMechanism: "oauthbearer" },
  registry: { url: "http://registry:8081" },
} as unknown as Config;
const ofRegistry = new RegistryError("the schema registry does not answer: refused");

const ofRegistryAfter = new UsageError("no schemas", { cause: new Error("x", { cause: ofRegistry }) });
const ofSignIn = new Error("x", { cause: new SignInError("refused") });
const refused = errorOfCode(29);
const KAFKA = "KAFKA_BROKERS (one:9092,two:9092)";
const REGISTRY = "SCHEMA_REGISTRY_URL (http://registry:8081)";

it.each<[string, unknown, string, string, RegExp]>([
  ["the registry", ofRegistry, `${REGISTRY}: the schema registry does not answer: refused`, "", /runs/],
  ["Kafka", new Error("no broker"), `${KAFKA}: no broker`, "Kafka does not answer. ", /runs/],
  ["no error", "refused", `${KAFKA}: refused`, "Kafka does not answer. ", /runs/],
  ["the same words", new Error(ofRegistry.message), KAFKA, "Kafka does not answer. ", /runs/],
  ["a refusal", refused, `${KAFKA}: Not authorized to access topics`, "Kafka refuses it. ", /rights/],
  [
    "the sign-in",
    ofSignIn,
    "KAFKA_SASL_MECHANISM (oauthbearer): x (refused)",
    "Kafka does not let it in. ",
    /user/,
  ],
])("what failed is told with its setting: %s", async (_, error, described, explained, advice) => {
  expect(describeOutage(error, config)).toContain(described);
  const thrown: unknown = await explainOutage(config, Promise.reject(error as Error)).catch(
    (it: unknown) => it,
  );
  expect(thrown).toBeInstanceOf(OutageError);
  const what = `${explained}${describeOutage(error, config)}`;
  expect(thrown).toHaveProperty("message", `${what}; ${outageAdvice(error)}.`);
  expect(outageAdvice(error)).toMatch(advice);
});

it("the registry is the cause, however far", () => {
  expect([ofRegistryAfter, undefined].map(isRegistryError)).toEqual([true, false]);
});

it.each([new UsageError("Too many."), new TypeError("x is undefined"), new RangeError("Invalid time value")])(
  "what is no outage is passed on as it is: %s",
  async (error) => {
    await expect(explainOutage(config, Promise.reject(error))).rejects.toBe(error);
  },
);
