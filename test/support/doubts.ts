import { randomUUID } from "node:crypto";
import { quoteKey } from "../../src/commands-to-results/quote-key.ts";
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
type Answer = { response: string; transactionId: string; externalId: string };
type Topics = Pick<World, "brokers" | "topics">;

const entryWriter = async ({ topics }: Topics) => {
  const { schemaRegistryUrl } = sharedCluster();
  const entryId = await latestSchemaId(schemaRegistryUrl, topics.journal);
  const resultSchemaId = await latestSchemaId(schemaRegistryUrl, topics.results);
  const entryOf = ({ commandId, quoteId }: Attempt, name: string, fields: object) => {
    const entry = { version: 1, operation: "ACCEPT_QUOTE", commandId };
    const step = { [`cambio.bridge.v1.${name}`]: fields };
    return { key: quoteKey(quoteId), value: encode("command-journal-entry", entryId, { ...entry, step }) };
  };
  const concluded = (
    attempt: Attempt,
    { traceparent, ...end }: { outcome: string; resultId: string; traceparent: string | null } & object,
  ) => {
    const { commandId, quoteId, attemptId, requestHash } = attempt;
    const result = encode("command-result", resultSchemaId, {
      ...{ commandId, operation: "ACCEPT_QUOTE", quoteId, externalId: null, ...end },
      ...{ attempts: 1, receivedAt: 0, completedAt: 0 },
    });
    const { outcome, resultId } = end;
    const fields = { attemptId, requestHash, outcome, resultId, result, note: null, traceparent };
    return entryOf(attempt, "Concluded", fields);
  };
  return {
    claimed: (attempt: Attempt, callWithinMs: number) => {
      const { attemptId, requestHash } = attempt;
      const times = { callWithinMs, receivedAt: 0, attempts: 0, supersedes: null };
      return entryOf(attempt, "Claimed", { attemptId, requestHash, ...times });
    },
    inDoubt: (attempt: Attempt, answer: Partial<Answer> = {}) =>
      concluded(attempt, {
        ...{ outcome: "IN_DOUBT", resultId: "in-doubt", final: false, decidedBy: "BRIDGE" },
        ...{ error: { code: "OWNER_LOST", message: "gone" }, httpStatus: null, response: null },
        ...answer,
        traceparent: DOUBT_TRACE,
      }),
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
  if (callWithinMs === AT_ONCE_MS) return produceOld(world, entries);
  return produce(world.brokers, world.topics.journal, entries);
};

/** Writes journal entries as if they were an hour old. */
const produceOld = async ({ brokers, topics }: Topics, entries: readonly Message[]): Promise<void> => {
  const timestamp = String(Date.now() - OLD_MS);
  await setTopicConfig(brokers, topics.journal, { "message.timestamp.type": "CreateTime" });
  await produce(
    brokers,
    topics.journal,
    entries.map((entry) => ({ ...entry, timestamp })),
  );
  await setTopicConfig(brokers, topics.journal, { "message.timestamp.type": "LogAppendTime" });
};

/** Writes a doubt that is an hour old, of the command with this hash. */
export const writeAnsweredDoubt = async (
  world: Topics,
  command: Pick<Attempt, "commandId" | "quoteId" | "requestHash">,
  answer: Partial<Answer> = {},
): Promise<void> => {
  const { claimed, inDoubt } = await entryWriter(world);
  const attempt = { ...command, attemptId: randomUUID() };
  await produceOld(world, [claimed(attempt, AT_ONCE_MS), inDoubt(attempt, answer)]);
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
  return [claimed(attempt, AT_ONCE_MS), inDoubt(attempt, { response })];
};

/** Writes an event as a replica would whose clock shows `atMs`. @param more members of its payload */
export const writeEventOf = async (
  { brokers, topics }: Topics,
  { transactionId, status, atMs }: { transactionId: string; status: string; atMs: number },
  more: object = {},
): Promise<void> => {
  const schemaId = await latestSchemaId(sharedCluster().schemaRegistryUrl, topics.events);
  const event = {
    ...{ eventId: randomUUID(), transactionId, status, stage: "UNKNOWN", direction: "UNKNOWN" },
    ...{ createdAt: "", occurredAt: null, receivedAt: atMs, source: "WEBHOOK", outOfOrder: false },
    payload: JSON.stringify({ transactionId, status, ...more }),
  };
  const value = encode("transaction-status-updated", schemaId, event);
  await produce(brokers, topics.events, [{ key: transactionId, value, timestamp: String(atMs) }]);
};

/** Concludes an attempt IN_DOUBT, as another replica does that thinks its owner dead. */
export const takeOver = async (world: Topics, attempt: Attempt): Promise<void> => {
  const { inDoubt } = await entryWriter(world);
  await produce(world.brokers, world.topics.journal, [inDoubt(attempt)]);
};
