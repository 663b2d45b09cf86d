import type { CommandResult } from "../../records.ts";
import { resultIdOf } from "../build-result.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { appendConclusion, appendProbe, retryUntilAborted, type WriteDeps } from "./kafka-retry.ts";
import { publishedEntry, type Ref } from "./entry.ts";
import type { Look } from "./partition-view.ts";
import type { Claim } from "./fold-rules.ts";
import type { Deps } from "./ports.ts";

/** An operator's decision on a command in doubt. */
export type Decision = {
  as: "succeeded" | "not-executed";
  by: string;
  note: string;
  /** Decide even if the claim is so young that its call may still be under way. */
  force: boolean;
  /** The transaction that the accept became; null where nobody says it. */
  transactionId: string | null;
};

export type Resolved =
  /**
   * `position`: of the decision's entry. `isPublished` false: the commandId belongs to another command, whose result it
   * has. The decision stands in the journal only, and the quote is free or spent.
   */
  | { kind: "resolved"; result: CommandResult; position: RecordPosition; isPublished: boolean }
  /**
   * There is a final result already. `note`: of the operator who decided it. `result` is null for
   * QUOTE_ALREADY_TAKEN, which has no conclusion in the journal.
   */
  | { kind: "decided"; result: CommandResult | null; note: string | null; position: RecordPosition }
  /** See `resolvableAtMs`. */
  | { kind: "tooYoung" }
  /** Claimed: its owner, or the replica that takes it over, will conclude it. */
  | { kind: "underWay" }
  | { kind: "unknown" };

const AGE_FACTOR = 20;
const LEAST_AGE_MS = 15 * 60_000;

/**
 * How old a claim must be before an operator may end its doubt. A partner or a proxy that stood still may still
 * execute a call that was given up, a frozen replica may still send it: the older, the less likely.
 */
const neededAgeMs = ({ callWithinMs }: Pick<Claim, "callWithinMs">): number =>
  Math.max(AGE_FACTOR * callWithinMs, LEAST_AGE_MS);

/** Since when (epoch milliseconds) `resolve` needs no force, by the broker's clock. */
export const resolvableAtMs = (claim: Pick<Claim, "timestampMs" | "callWithinMs">): number =>
  claim.timestampMs + neededAgeMs(claim);

type ResolveDeps = WriteDeps &
  Pick<Deps, "view" | "journal" | "publish" | "codec" | "newId"> & {
    /** LogAppendTime (epoch milliseconds) of a folded entry of the command; null if unknown. */
    timeOf: (position: RecordPosition) => number | null;
    /** Whether the commandId had an entry under another key before it had one under this. */
    isOlderElsewhere: (ref: Ref) => boolean;
  };

type Found = { result: CommandResult; value: Buffer; note: string | null; traceparent: string | null };

/** The result of a Concluded entry; null for another one. */
const resultAt = (deps: ResolveDeps, position: RecordPosition, signal: AbortSignal): Promise<Found | null> =>
  // Decoding is retried too: it fails while the schema of an older result is being fetched.
  retryUntilAborted(deps, "reread", signal, async () => {
    const entry = await deps.journal.reread(position);
    if (entry?.step.kind !== "concluded") return null;
    const { result: value, note, traceparent } = entry.step;
    return { result: deps.codec.decode(value), value, note, traceparent };
  });

const NOT_EXECUTED = { code: "OPERATOR_DECISION", message: "an operator says that it was not executed" };

const decisionOn = (
  doubted: CommandResult,
  { as, transactionId }: Decision,
  nowMs: number,
): CommandResult => ({
  ...doubted,
  resultId: resultIdOf(doubted.commandId, true),
  outcome: as === "succeeded" ? "SUCCEEDED" : "FAILED",
  final: true,
  transactionId: as === "succeeded" ? (transactionId ?? doubted.transactionId) : null,
  // Note and name are not for those who read results: they stand in the journal and in the audit topic.
  error: as === "succeeded" ? null : NOT_EXECUTED,
  decidedBy: "OPERATOR",
  completedAt: nowMs,
});

/**
 * The age of a claim by the broker's clock: the LogAppendTime of an entry appended now, less that of the claim. The clock
 * of the operator's machine is not used: if it is fast, a young claim looks old.
 */
const ageOf = async (
  deps: ResolveDeps,
  ref: Ref,
  { timestampMs }: Claim,
  signal: AbortSignal,
): Promise<number> => {
  const position = await appendProbe(deps, ref, signal);
  const nowMs = deps.timeOf(position);
  return nowMs === null ? 0 : Math.max(nowMs - timestampMs, 0);
};

/** The answer for a command that is not in doubt. */
export const withoutDoubt = async (
  deps: ResolveDeps,
  found: Exclude<Look, { kind: "doubt" }>,
  signal: AbortSignal,
): Promise<Exclude<Resolved, { kind: "tooYoung" }>> => {
  if (found.kind === "free") return { kind: "unknown" };
  if (found.kind === "held") return { kind: "underWay" };
  const { position } = found;
  const { result, note } = (await resultAt(deps, position, signal)) ?? { result: null, note: null };
  return { kind: "decided", result, note, position };
};

/**
 * Ends a command's doubt by an operator's decision, unless a late answer or another operator was faster. The
 * view must be ready, and be fed while this runs. Rejects where the decision may have been written and could
 * not be read back.
 */
export const endInJournal = async (
  deps: ResolveDeps,
  ref: Ref,
  decision: Decision,
  signal: AbortSignal,
): Promise<Resolved> => {
  const { view, journal, clock } = deps;
  const firstLook = view.look(ref);
  if (firstLook.kind === "doubt" && !decision.force) {
    const ageMs = await ageOf(deps, ref, firstLook.claim, signal);
    if (ageMs < neededAgeMs(firstLook.claim)) return { kind: "tooYoung" };
  }
  const lastLook = view.look(ref);
  if (lastLook.kind !== "doubt") return withoutDoubt(deps, lastLook, signal);

  const doubted = await resultAt(deps, lastLook.position, signal);
  if (!doubted) return { kind: "unknown" };
  // It names the attempt in doubt, as a late answer would: the order in the log decides which of the two stands.
  const { attemptId, requestHash } = lastLook.claim;
  const { traceparent } = doubted;
  const conclusion = { attemptId, requestHash, note: `${decision.by}: ${decision.note}`, traceparent };
  const result = decisionOn(doubted.result, decision, clock.now());
  const decided = await appendConclusion(deps, ref, conclusion, result, signal);

  const standingLook = view.look(ref);
  if (standingLook.kind !== "concluded")
    throw new Error("the journal began anew while the decision was read back");
  const { position } = standingLook;
  const standing = await resultAt(deps, position, signal);
  if (!standing) return { kind: "decided", result: null, note: null, position };
  const elsewhere = deps.isOlderElsewhere(ref) ? "stands" : view.finalElsewhere(ref);
  const isPublished = elsewhere === "none";
  if (isPublished)
    await retryUntilAborted(deps, "publish", signal, () =>
      deps.publish(standing.result, standing.value, { traceparent: standing.traceparent, origin: null }),
    );
  if (elsewhere !== "waits")
    await retryUntilAborted(deps, "append", signal, () =>
      journal.append(ref.key, publishedEntry(ref, standing.result.resultId)),
    );
  if (standing.value.equals(decided.value))
    return { kind: "resolved", result: standing.result, position, isPublished };
  return { kind: "decided", result: standing.result, note: standing.note, position };
};
