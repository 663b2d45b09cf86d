import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { readSchema } from "../../src/kafka/schema/schemas.ts";
import { encode } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { registryProxy } from "../support/registry-proxy.ts";
import { openTestWorld } from "../support/world.ts";
import { messageOf } from "../support/accepts.ts";

const cluster = sharedCluster();
const HEADERS = { "content-type": "application/vnd.schemaregistry.v1+json" };
const none = (): boolean => false;

const openForgetful = async (settings: Record<string, string> = {}) => {
  const registry = await registryProxy();
  const world = await openTestWorld({
    cluster: { ...cluster, schemaRegistryUrl: registry.url },
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
    settings: { FLOWS: "commands", ...settings },
  });
  return { registry, world };
};

test("a command waits for a schema that the registry does not know yet, and others go on meanwhile", async () => {
  const { registry, world } = await openForgetful({ COMMANDS_MAX_IN_FLIGHT: "2" });
  const bridge = await world.startReady();
  const { commands, results } = world.topics;
  const following = await world.follow([results]);
  const answers = (commandId: string): Promise<unknown[]> =>
    following.until(results, ({ headers }) => headers["correlation-id"] === commandId, 1);

  // A schema of a producer of its own: the bridge must ask for it.
  const answer = await fetch(`${cluster.schemaRegistryUrl}/subjects/${randomUUID()}-value/versions`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ schema: JSON.stringify({ ...readSchema("command").json, doc: randomUUID() }) }),
  });
  const { id } = (await answer.json()) as { id: number };
  registry.forget((path) => path.startsWith("/schemas/ids/"));
  const asked = registry.questions.length;
  const accept = (commandId: string) => ({
    key: commandId,
    value: encode("command", id, {
      commandId,
      issuedAt: Date.now(),
      expiresAt: null,
      request: {
        "cambio.bridge.v1.AcceptQuote": {
          quoteId: `q-${commandId}`,
          counterpartyId: "cp",
          amount: null,
          externalId: null,
        },
      },
    }),
  });
  await world.produce(commands, ["c-1", "c-2", "c-3"].map(accept));
  await eventually(() => registry.questions.length > asked + 1, "the registry to be asked again", 10_000);
  const json = messageOf({ commandId: "json", quoteId: "q-json", key: "json" });
  await world.produce(commands, [json]);
  expect(await answers("json")).toHaveLength(1);

  registry.forget(none);
  for (const commandId of ["c-1", "c-2", "c-3"])
    expect(await answers(commandId)).toMatchObject([{ headers: { outcome: "SUCCEEDED" } }]);
  // All three share the questions: at growing distances, at most seven.
  expect(registry.questions.length - asked).toBeLessThanOrEqual(7);
  expect(await bridge.stop()).toBe(0);
});
