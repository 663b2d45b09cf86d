import { createReread } from "../../kafka/consume/reread.ts";
import { authorize, NothingDone, type Actor } from "../actor.ts";
import { withAudit, type Audit } from "../audit/audited.ts";
import type { AuditOutcome } from "../audit/entry.ts";
import type { ToolServices, OnProgress } from "../tool-services.ts";
import { originalOf, type Original } from "../../dead-letters/letter.ts";
import { positionText } from "../../runtime/record-position.ts";
import { obstacleTo, type DeadLetter } from "./letter.ts";
import { planReplay, type Made, type Plan } from "./plan.ts";
import { isOldIn, type Selection } from "./read.ts";
import { commandsTarget, eventsTarget, type LetterEnd, type ReplayTarget } from "./targets.ts";

type ReplayHooks = {
  planned: (plan: Plan) => void;
  /** Called for each letter of the plan that came to an end. */
  ended: (letter: DeadLetter, end: LetterEnd) => void;
  onProgress?: OnProgress;
};

/** `unsent`: letters of the plan whose turn did not come; `reason`: why, null where all had theirs. */
type ReplayOutcome = { plan: Plan; unsent: number; reason: string | null };

/** Letters that are announced in one audit entry, and may be sent twice if the process is killed. */
const BATCH = 100;
const BATCH_BYTES = 16 * 1_048_576;
/** The longest reason in the audit entry, which has one for each letter that failed. */
const MAX_REASON = 300;

/** The next letters for one topic, in order; at least one. */
const nextBatch = (queue: readonly DeadLetter[]): readonly DeadLetter[] => {
  let total = 0;
  const end = queue.slice(0, BATCH).findIndex(({ bytes, source }, index) => {
    total += bytes;
    return source !== queue[0]?.source || (index > 0 && total > BATCH_BYTES);
  });
  return queue.slice(0, end < 0 ? BATCH : end);
};

type Ends = ReadonlyMap<string, LetterEnd>;

/** What came of a batch, for the audit topic. */
export const outcomeOf = (ends: Ends): AuditOutcome => {
  const letters: Record<string, string> = {};
  const failures: Record<string, string> = {};
  for (const [ref, end] of ends)
    if (end.end === "sent") letters[ref] = end.where;
    else failures[ref] = `${end.end}: ${end.reason}`.slice(0, MAX_REASON);
  const [reason] = Object.values(failures);
  if (Object.keys(letters).length > 0)
    return { kind: "done", effect: { letters, ...(reason !== undefined && { failures }) } };
  const isUnknown = [...ends.values()].some(({ end }) => end === "unknown");
  return { kind: isUnknown ? "failed" : "refused", reason: reason ?? "nothing was left to send" };
};

const sendAll = async (
  services: ToolServices,
  { plan, sent, next: planEnd }: Made,
  { audit, ended }: { audit: Audit; ended: ReplayHooks["ended"] },
  signal: AbortSignal,
): Promise<Omit<ReplayOutcome, "plan">> => {
  const { reread, stop } = createReread(services.config.topics.deadLetters, services);
  const targets = new Map<DeadLetter["source"], ReplayTarget>();
  let auditedTo = planEnd;

  /** What others wrote since the plan was made, up to this batch's own entry: who announced a letter first sends it. */
  const readOthers = async (entryOffset: number): Promise<void> => {
    for (; auditedTo < entryOffset; auditedTo += 1) {
      const record = await audit.find(auditedTo);
      if (record) sent.take(record);
    }
    auditedTo = entryOffset + 1;
  };
  /** The letter's record, or why it is not sent. */
  const load = async (letter: DeadLetter): Promise<Original | string> => {
    const { place } = letter;
    const [before] = sent.of(positionText(place));
    if (before) return `replayed meanwhile by ${before.by}: ${before.where}`;
    const other = sent.announced(positionText(place), planEnd);
    if (other !== null) return `being replayed by ${other}: run it again in a minute`;
    const record = await reread(place.partition, place.offset);
    if (record === null) return "the dead-letter topic does not hold it any more";
    const { original } = originalOf(record);
    // It may have become too old since the plan was made.
    return obstacleTo(letter, original.value, isOldIn(services)) ?? original;
  };
  /** All are loaded first: letters of one key are sent in order. */
  const sendBatch = async (batch: readonly DeadLetter[], target: ReplayTarget): Promise<Ends> => {
    const loaded = await Promise.all(batch.map(load));
    const ends = batch.map(async (letter, nth): Promise<readonly [string, LetterEnd]> => {
      const original = loaded[nth] ?? "";
      const end =
        typeof original === "string"
          ? ({ end: "left", reason: original } as const)
          : await target.send(letter, original);
      return [positionText(letter.place), end];
    });
    return new Map(await Promise.all(ends));
  };

  let queue = plan.send;
  try {
    // Opened before anything is announced: a topic that is missing is no failed action.
    for (const source of new Set(queue.map((each) => each.source))) {
      const opening = source === "command" ? commandsTarget(services) : eventsTarget(services, signal);
      targets.set(source, await opening);
    }
    for (let batch = nextBatch(queue); batch[0]; batch = nextBatch(queue)) {
      const refs = batch.map(({ place }) => positionText(place));
      const target = targets.get(batch[0].source);
      if (!target) throw new Error(`nothing is open for a ${batch[0].source}`);
      const subject = refs.length === 1 ? String(refs[0]) : `${refs.length} dead letters`;
      const parameters = { topic: target.topic, letters: refs };
      const acting = audit.act({ kind: "replay", subject, parameters }, async ({ place }) => {
        await readOthers(place.offset);
        const all = await sendBatch(batch, target);
        return { value: all, outcome: outcomeOf(all) };
      });
      const done = await acting.catch((error: unknown) => {
        if (error instanceof NothingDone && signal.aborted) return null;
        throw error;
      });
      if (done === null) return { unsent: queue.length, reason: "it was interrupted" };
      for (const letter of batch) {
        const end = done.value.get(positionText(letter.place));
        if (end) ended(letter, end);
      }
      queue = queue.slice(batch.length);
      const unknown = [...done.value.values()].find(({ end }) => end === "unknown");
      if (unknown?.end === "unknown" && queue.length > 0)
        return { unsent: queue.length, reason: unknown.reason };
    }
    return { unsent: 0, reason: null };
  } finally {
    await Promise.all([...[...targets.values()].map((target) => target.close()), stop()]);
  }
};

/**
 * Sends dead letters again to where they came from, original bytes and headers, in batches of at most 100. Each
 * batch stands in the audit topic before any of it is sent, and afterwards with what came of it; what stands there
 * as sent is skipped. One that was killed may repeat its last batch, which commandId and eventId make harmless.
 * Throws a UsageError when the audit topic cannot be written.
 */
export const replay = async (
  services: ToolServices,
  actor: Actor,
  selection: Selection,
  { planned, ended, onProgress }: ReplayHooks,
  signal: AbortSignal,
): Promise<ReplayOutcome> => {
  authorize(actor);
  const made = await planReplay(services, selection, { signal, onProgress });
  const { plan } = made;
  planned(plan);
  if (plan.send.length === 0) return { plan, unsent: 0, reason: null };
  const outcome = await withAudit(services, actor, signal, (audit) =>
    sendAll(services, made, { audit, ended }, signal),
  );
  return { plan, ...outcome };
};
