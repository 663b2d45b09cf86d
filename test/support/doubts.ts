import { randomUUID } from "node:crypto";
import { encode, latestSchemaId } from "./avro.ts";
import { sharedCluster } from "./cluster.ts";
import { produce } from "./produce.ts";
import type { World } from "./world.ts";

/** The traceparent of these commands. */
export const DOUBT_TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/** A call time with which `resolve` accepts at once: it requires a claim to be twenty times as old. */
export const AT_ONCE_MS = 1;

/** Writes journal entries as lost replicas leave them: a command in doubt for each of these quotes. */
export const writeDoubts = async (
  { brokers, topics }: Pick<World, "brokers" | "topics">,
  commandId: string,
  callWithinMs: number,
  ...quoteIds: readonly string[]
): Promise<void> => {
  const { schemaRegistryUrl } = sharedCluster();
  const { journal, results } = topics;
  const entryId = await latestSchemaId(schemaRegistryUrl, journal);
  const resultSchemaId = await latestSchemaId(schemaRegistryUrl, results);
  const entries = quoteIds.flatMap((quoteId) => {
    const attempt = { attemptId: randomUUID(), requestHash: "hash" };
    const outcome = { outcome: "IN_DOUBT", resultId: "in-doubt" };
    const result = encode("command-result", resultSchemaId, {
      ...{ ...outcome, commandId, operation: "ACCEPT_QUOTE", final: false, quoteId, externalId: null },
      ...{ httpStatus: null, response: null, error: { code: "OWNER_LOST", message: "gone" } },
      ...{ attempts: 1, decidedBy: "BRIDGE", receivedAt: 0, completedAt: 0 },
    });
    const steps = {
      Claimed: { ...attempt, callWithinMs, receivedAt: 0, attempts: 0, supersedes: null },
      Concluded: { ...attempt, ...outcome, result, note: null, traceparent: DOUBT_TRACE },
    };
    return Object.entries(steps).map(([name, fields]) => {
      const entry = { version: 1, operation: "ACCEPT_QUOTE", commandId };
      const step = { [`cambio.bridge.v1.${name}`]: fields };
      return { key: quoteId, value: encode("command-journal-entry", entryId, { ...entry, step }) };
    });
  });
  await produce(brokers, journal, entries);
};
