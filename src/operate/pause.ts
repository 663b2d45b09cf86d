import { applyControlRecord, isPause, PAUSABLE, writeControlEntry } from "../bridge/pauses/pause-entry.ts";
import type { ControlEntries, ControlEntry, Pausable } from "../bridge/pauses/pause-entry.ts";
import type { Incoming } from "../kafka/record.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { iso, isoOrNull, readInstant } from "../runtime/instant.ts";
import { placeText } from "../runtime/record-position.ts";
import { NothingDone, type Actor } from "./actor.ts";
import { withAudit } from "./audit/audited.ts";
import { readTopic } from "./read-topic.ts";
import { inspectTopics, publishOne, type Tools } from "./tools.ts";

export { isPause, PAUSABLE, type ControlEntries, type ControlEntry, type Pausable };

/** `end`: of a pause, at a time or so long after it was written, both by Kafka's clock; null: until it is resumed. */
export type PauseRequest = {
  flow: Pausable;
  says: ControlEntry["says"];
  end: { untilMs: number } | { forMs: number } | null;
};

const TIMEOUT_MS = 10_000;
const READ_MS = 20_000;
/** Each replica that reaches Kafka follows an entry within this time. */
const FOLLOWED_MS = 5_000;

export const readPauses = async (tools: Tools): Promise<ControlEntries> => {
  const topic = tools.config.topics.control;
  const entries = new Map<Pausable, ControlEntry>();
  const take = (record: Incoming): void => {
    if (!applyControlRecord(entries, record)) tools.warn(`${placeText(topic, record)} cannot be read.`);
  };
  await tools.clock.withDeadline(READ_MS, tools.stopped, (stopped) =>
    readTopic({ ...tools, stopped }, { topic, isWhole: true }, take),
  );
  return entries;
};

const write = async (tools: Tools, entry: ControlEntry): Promise<string> => {
  const topic = tools.config.topics.control;
  const { key, value } = writeControlEntry(entry);
  const record = { key: Buffer.from(key), value: Buffer.from(value) };
  try {
    return placeText(topic, await publishOne(tools, { topic, timeoutMs: TIMEOUT_MS }, record));
  } catch (error) {
    const why = `Nobody knows whether the ${entry.says} was written (${messageOf(error)})`;
    throw new UsageError(`${why}: ask \`cambio-bridge status\`, and run the same again.`, { cause: error });
  }
};

const endOf = (end: PauseRequest["end"], nowMs: number): number | null => {
  if (end === null) return null;
  const untilMs = "forMs" in end ? nowMs + end.forMs : end.untilMs;
  if (readInstant(iso(untilMs)) === null)
    throw new NothingDone("A pause must end before the year 10000, or when it is resumed.");
  if (untilMs <= nowMs)
    throw new NothingDone(
      `Nothing is paused: by Kafka's clock it is ${iso(nowMs)}, and the pause would be over.`,
    );
  return untilMs;
};

/** A resume is written even where nothing is paused: replicas may still hold a pause that a new topic does not know. */
export const pauseOrResume = (tools: Tools, actor: Actor, { flow, says, end }: PauseRequest) =>
  withAudit(tools, actor, async ({ act }) => {
    await inspectTopics(tools, ["control"]);
    const parameters = end && ("forMs" in end ? { forMs: end.forMs } : { until: iso(end.untilMs) });
    const action = { kind: says, subject: flow, parameters: parameters ?? {} };
    const { value, begun } = await act(action, async ({ actionId, atMs: askTime }) => {
      const atMs = await askTime();
      const { by, note } = actor;
      const entry: ControlEntry = { flow, says, by, note, atMs, untilMs: endOf(end, atMs), actionId };
      const place = await write(tools, entry);
      const effect = { record: place, until: isoOrNull(entry.untilMs) };
      return { value: { entry, place }, outcome: { kind: "done", effect } as const };
    });
    // When a pause has returned, no replica that reaches Kafka begins anything any more.
    if (says === "pause") await tools.clock.sleep(FOLLOWED_MS, tools.stopped).catch(() => undefined);
    return { ...value, audit: placeText(tools.config.topics.audit, begun) };
  });
