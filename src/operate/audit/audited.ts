import { randomUUID } from "node:crypto";
import { bridgeSource } from "../../kafka/produce/cloud-event.ts";
import { createReread } from "../../kafka/consume/reread.ts";
import type { Incoming } from "../../kafka/record.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { authorize, continueUnless, NothingDone, type Actor } from "../actor.ts";
import { inspectTopics, type Tools } from "../tools.ts";
import { AUDIT_PARTITION, auditEvent, type Action, type AuditOutcome } from "./entry.ts";

const TIMEOUT_MS = 10_000;
const MAX_WAITING_BYTES = 16 * 1_048_576;
const CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";

/** An action's first entry. `atMs`: its time by Kafka's clock, since operators' machines may have any. */
type Begun = { place: RecordPosition; actionId: string; atMs: () => Promise<number> };

export type Audit = {
  /**
   * Writes an entry, does `work`, then writes the outcome. `ended` is null where the outcome could not be written: the
   * action stands. Throws a UsageError when the first entry cannot be written, or when it was interrupted before.
   */
  act: <T>(
    action: Action,
    work: (begun: Begun) => Promise<{ value: T; outcome: AuditOutcome }>,
  ) => Promise<{ value: T; begun: RecordPosition; ended: RecordPosition | null }>;
  find: (offset: number) => Promise<Incoming | null>;
};

/** Throws Forbidden for a viewer, before anything is asked, and a UsageError where the topic is not as it must be. */
export const withAudit = async <T>(
  tools: Tools,
  actor: Actor,
  work: (audit: Audit) => Promise<T>,
): Promise<T> => {
  authorize(actor);
  await inspectTopics(tools, ["audit"]);
  const { config, clock, stopped } = tools;
  const topic = config.topics.audit;
  const publisher = tools.publisher(topic, {
    maxWaiting: 1_000,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: TIMEOUT_MS,
  });
  const { reread, stop } = createReread(topic, tools);
  const find: Audit["find"] = (offset) => reread(AUDIT_PARTITION, offset);

  const act: Audit["act"] = async (action, perform) => {
    continueUnless(stopped);
    const actionId = randomUUID();
    const write = (outcome: AuditOutcome | null): Promise<RecordPosition> => {
      const source = bridgeSource(config.kafka.groupId);
      const entry = { actionId, actor, action, outcome };
      const event = auditEvent(entry, { id: randomUUID(), source, timeMs: clock.now() });
      const headers = [["content-type", CONTENT_TYPE] as const];
      const record = { key: Buffer.from(actionId), value: Buffer.from(event), headers };
      return publisher.publish(record, TIMEOUT_MS);
    };
    const place = await write(null).catch((error: unknown) => {
      throw new UsageError(
        `Nothing was done, because it could not be written to the audit topic first (${messageOf(error)}): ` +
          "see that the topic can be written, then run it again.",
        { cause: error },
      );
    });
    const end = (outcome: AuditOutcome): Promise<RecordPosition | null> =>
      write(outcome).catch((error: unknown) => {
        tools.warn(`The outcome could not be written to the audit topic (${messageOf(error)}).`);
        return null;
      });
    const atMs = async (): Promise<number> => {
      const record = await find(place.offset);
      if (record === null) throw new NothingDone(`${topic} does not hold the entry of this action any more.`);
      return record.timestampMs;
    };
    try {
      continueUnless(stopped);
      const { value, outcome } = await perform({ place, actionId, atMs });
      return { value, begun: place, ended: await end(outcome) };
    } catch (error) {
      await end({ kind: error instanceof NothingDone ? "refused" : "failed", reason: messageOf(error) });
      throw error;
    }
  };
  try {
    return await work({ act, find });
  } finally {
    await Promise.all([publisher.close(TIMEOUT_MS), stop()]);
  }
};
