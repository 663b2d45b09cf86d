import { createReread } from "../../kafka/consume/reread.ts";
import { authorize, NothingDone, type Actor } from "../actor.ts";
import { withAudit, type Audit } from "../audit/audited.ts";
import type { AuditOutcome } from "../audit/entry.ts";
import type { Tools } from "../tools.ts";
import { positionText } from "../../runtime/record-position.ts";
import { obstacleTo, originalOf, type DeadLetter, type Original } from "./letter.ts";
import { planReplay, type PlannedReplay, type Plan } from "./plan.ts";
import type { Selection } from "./read.ts";
import { openTarget, type LetterEnd, type ReplayTarget } from "./targets.ts";

type ReplayHooks = {
  planned: (plan: Plan) => void;
  ended: (ref: string, end: LetterEnd) => void;
};

/** `unsent`: letters of the plan whose turn did not come; `reason`: why, null where all had theirs. */
type ReplayOutcome = { unsent: number; reason: string | null };

/** Letters that are announced in one audit entry, and may be sent twice if the process is killed. */
const BATCH = 100;
const BATCH_BYTES = 16 * 1_048_576;
/** The longest reason in the audit entry, which has one for each letter that failed. */
const MAX_REASON = 300;

const batchesOf = (letters: readonly DeadLetter[]): DeadLetter[][] => {
  const batches: DeadLetter[][] = [];
  let bytes = Infinity;
  for (const letter of letters) {
    const batch = batches.at(-1);
    bytes += letter.bytes;
    if (batch && batch.length < BATCH && bytes <= BATCH_BYTES) batch.push(letter);
    else {
      batches.push([letter]);
      bytes = letter.bytes;
    }
  }
  return batches;
};

export const outcomeOf = (ends: ReadonlyMap<string, LetterEnd>): AuditOutcome => {
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
  tools: Tools,
  { plan, sent, next: planEnd }: PlannedReplay,
  { audit, ended }: { audit: Audit; ended: ReplayHooks["ended"] },
): Promise<ReplayOutcome> => {
  const { reread, stop } = createReread(tools.config.topics.deadLetters, tools);
  let auditedTo = planEnd;
  let unsent = plan.send.length;

  /** Reads what others wrote since the plan, up to this batch's entry: who announced a letter first sends it. */
  const readOthers = async (entryOffset: number): Promise<void> => {
    for (; auditedTo < entryOffset; auditedTo += 1) {
      const record = await audit.find(auditedTo);
      if (record) sent.take(record);
    }
    auditedTo = entryOffset + 1;
  };
  const load = async (letter: DeadLetter): Promise<Original | string> => {
    const { place } = letter;
    const earlier = sent.earlier(positionText(place));
    if (earlier) return `replayed meanwhile by ${earlier.by}: ${earlier.where}`;
    const other = sent.announcer(positionText(place));
    if (other !== undefined) return `being replayed by ${other}: run it again in a minute`;
    const record = await reread(place.partition, place.offset);
    if (record === null) return "the dead-letter topic does not hold it any more";
    const { original } = originalOf(record);
    // It may have become too old since the plan was made.
    return obstacleTo(letter, original.value, tools) ?? original;
  };
  /** All are loaded first: letters of one key are sent in order. */
  const sendBatch = async (batch: readonly DeadLetter[], { send }: ReplayTarget) => {
    const loaded = await Promise.all(batch.map(async (letter) => ({ letter, original: await load(letter) })));
    const ends = loaded.map(async ({ letter, original }): Promise<[string, LetterEnd]> => [
      positionText(letter.place),
      typeof original === "string" ? { end: "left", reason: original } : await send(letter, original),
    ]);
    return new Map(await Promise.all(ends));
  };
  /** Gives the reason why the rest is not sent, or null. */
  const replayBatch = async (batch: readonly DeadLetter[], target: ReplayTarget): Promise<string | null> => {
    const refs = batch.map(({ place }) => positionText(place));
    const subject = refs.length === 1 ? String(refs[0]) : `${refs.length} dead letters`;
    const action = { kind: "replay", subject, parameters: { topic: target.topic, letters: refs } } as const;
    const acting = audit.act(action, async ({ place }) => {
      await readOthers(place.offset);
      const value = await sendBatch(batch, target);
      return { value, outcome: outcomeOf(value) };
    });
    const done = await acting.catch((error: unknown) => {
      if (error instanceof NothingDone && tools.stopped.aborted) return null;
      throw error;
    });
    if (done === null) return "it was interrupted";
    unsent -= batch.length;
    for (const [ref, end] of done.value) ended(ref, end);
    return [...done.value.values()].find((end) => end.end === "unknown")?.reason ?? null;
  };

  const targets: { target: ReplayTarget; letters: readonly DeadLetter[] }[] = [];
  try {
    // All are opened before anything is announced: where one cannot be, nothing is done.
    for (const [source, letters] of Map.groupBy(plan.send, (each) => each.source))
      targets.push({ target: await openTarget(tools, source), letters });
    for (const { target, letters } of targets)
      for (const batch of batchesOf(letters)) {
        const reason = await replayBatch(batch, target);
        if (reason !== null) return { unsent, reason };
      }
    return { unsent, reason: null };
  } finally {
    await Promise.all([stop(), ...targets.map(({ target }) => target.close())]);
  }
};

/** A replay that was killed may repeat its last batch, which commandId and eventId make harmless. */
export const replay = async (
  tools: Tools,
  actor: Actor,
  selection: Selection,
  { planned, ended }: ReplayHooks,
): Promise<ReplayOutcome> => {
  authorize(actor);
  const replayPlan = await planReplay(tools, selection);
  const { plan } = replayPlan;
  planned(plan);
  if (plan.send.length === 0) return { unsent: 0, reason: null };
  return withAudit(tools, actor, (audit) => sendAll(tools, replayPlan, { audit, ended }));
};
