import { randomUUID } from "node:crypto";
import { encode, latestSchemaId } from "./avro.ts";
import { sharedCluster } from "./cluster.ts";
import { setTopicConfig } from "./kafka.ts";
import { produce, type Message } from "./produce.ts";
import type { World } from "./world.ts";

/** The traceparent of these commands. */
export const DOUBT_TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/** A call time of claims that are written as if they were an hour old: `resolve` ends their doubts at once. */
export const AT_ONCE_MS = 1;
const OLD_MS = 3_600_000;

/** A claimed try to execute an accept. */
export type Attempt = { commandId: string; quoteId: string; attemptId: string; requestHash: string };
type Topics = Pick<World, "brokers" | "topics">;

const entryWriter = async ({ topics }: Topics) => {
  const { schemaRegistryUrl } = sharedCluster();
  const entryId = await latestSchemaId(schemaRegistryUrl, topics.journal);
  const resultSchemaId = await latestSchemaId(schemaRegistryUrl, topics.results);
  const entryOf = ({ commandId, quoteId }: Attempt, name: string, fields: object) => {
    const entry = { version: 1, operation: "ACCEPT_QUOTE", commandId };
    const step = { [`cambio.bridge.v1.${name}`]: fields };
    return { key: quoteId, value: encode("command-journal-entry", entryId, { ...entry, step }) };
  };
  return {
    claimed: (attempt: Attempt, callWithinMs: number) => {
      const { attemptId, requestHash } = attempt;
      const times = { callWithinMs, receivedAt: 0, attempts: 0, supersedes: null };
      return entryOf(attempt, "Claimed", { attemptId, requestHash, ...times });
    },
    inDoubt: (attempt: Attempt, response: string | null = null) => {
      const { commandId, quoteId, attemptId, requestHash } = attempt;
      const outcome = { outcome: "IN_DOUBT", resultId: "in-doubt" };
      const result = encode("command-result", resultSchemaId, {
        ...{ ...outcome, commandId, operation: "ACCEPT_QUOTE", final: false, quoteId, externalId: null },
        ...{ httpStatus: null, response, error: { code: "OWNER_LOST", message: "gone" } },
        ...{ attempts: 1, decidedBy: "BRIDGE", receivedAt: 0, completedAt: 0 },
      });
      const fields = { attemptId, requestHash, ...outcome, result, note: null, traceparent: DOUBT_TRACE };
      return entryOf(attempt, "Concluded", fields);
    },
  };
};

const newAttempt = (commandId: string, quoteId: string): Attempt => ({
  ...{ commandId, quoteId, attemptId: randomUUID(), requestHash: "hash" },
});

/** Writes journal entries as lost replicas leave them: a command in doubt for each of these quotes. */
export const writeDoubts = async (
  world: Topics,
  commandId: string,
  callWithinMs: number,
  ...quoteIds: readonly string[]
): Promise<void> => {
  const { claimed, inDoubt } = await entryWriter(world);
  const attempts = quoteIds.map((quoteId) => newAttempt(commandId, quoteId));
  const entries = attempts.flatMap((attempt) => [claimed(attempt, callWithinMs), inDoubt(attempt)]);
  const { brokers, topics } = world;
  if (callWithinMs !== AT_ONCE_MS) return produce(brokers, topics.journal, entries);
  const timestamp = String(Date.now() - OLD_MS);
  await setTopicConfig(brokers, topics.journal, { "message.timestamp.type": "CreateTime" });
  await produce(
    brokers,
    topics.journal,
    entries.map((entry) => ({ ...entry, timestamp })),
  );
  await setTopicConfig(brokers, topics.journal, { "message.timestamp.type": "LogAppendTime" });
};

/** Journal entries of a command in doubt, to which an answer came. */
export const answeredDoubt = async (
  world: Topics,
  commandId: string,
  quoteId: string,
  response: string,
): Promise<Message[]> => {
  const { claimed, inDoubt } = await entryWriter(world);
  const attempt = newAttempt(commandId, quoteId);
  return [claimed(attempt, AT_ONCE_MS), inDoubt(attempt, response)];
};

/** Concludes an attempt IN_DOUBT, as another replica does that thinks its owner dead. */
export const takeOver = async (world: Topics, attempt: Attempt): Promise<void> => {
  const { inDoubt } = await entryWriter(world);
  await produce(world.brokers, world.topics.journal, [inDoubt(attempt)]);
};
