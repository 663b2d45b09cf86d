import type { CommandResult } from "../../records.ts";
import { resultIdOf } from "../build-result.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { appendConclusion, appendProbe, retryUntilAborted, type WriteDeps } from "./kafka-retry.ts";
import type { Ref } from "./entry.ts";
import type { Look } from "./partition-view.ts";
import { publishFinal, readResult, type JournalResult } from "./publish-result.ts";
import type { Claim } from "./fold-rules.ts";

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
  /** `isPublished` false: another command has the commandId. The decision then stands in the journal only. */
  | { kind: "resolved"; result: CommandResult; position: RecordPosition; isPublished: boolean }
  /** There is a final result already, null for QUOTE_ALREADY_TAKEN. `note`: of the operator who decided it. */
  | { kind: "decided"; result: CommandResult | null; note: string | null; position: RecordPosition }
  | { kind: "tooYoung" }
  /** Claimed: its owner, or the replica that takes it over, will conclude it. */
  | { kind: "underWay" }
  | { kind: "unknown" };

const AGE_FACTOR = 20;
const LEAST_AGE_MS = 15 * 60_000;

/** By the broker's clock. A partner, proxy or replica that stood still may execute a call late: ever less likely. */
export const resolvableAtMs = (claim: Pick<Claim, "timestampMs" | "callWithinMs">): number =>
  claim.timestampMs + Math.max(AGE_FACTOR * claim.callWithinMs, LEAST_AGE_MS);

type ResolveDeps = WriteDeps & {
  /** LogAppendTime (epoch milliseconds) of a folded entry of the command; null if unknown. */
  timeOf: (position: RecordPosition) => number | null;
  /** The commands that the commandId named, under other keys, before it named this one. */
  olderElsewhere: (ref: Ref) => Ref[];
};

/** The result of a Concluded entry; null for another one. Decoding is retried while its schema is being fetched. */
const resultAt = (
  deps: ResolveDeps,
  ref: Ref,
  position: RecordPosition,
  signal: AbortSignal,
): Promise<JournalResult | null> =>
  retryUntilAborted({ deps }, "reread", signal, () => readResult(deps, ref, position));

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

export const withoutDoubt = async (
  deps: ResolveDeps,
  ref: Ref,
  look: Exclude<Look, { kind: "doubt" }>,
  signal: AbortSignal,
): Promise<Exclude<Resolved, { kind: "tooYoung" }>> => {
  if (look.kind === "free" || look.kind === "otherContent") return { kind: "unknown" };
  if (look.kind === "held") return { kind: "underWay" };
  const { position } = look;
  const { result, note } = (await resultAt(deps, ref, position, signal)) ?? { result: null, note: null };
  return { kind: "decided", result, note, position };
};

const finalElsewhere = ({ view, olderElsewhere }: ResolveDeps, ref: Ref) => {
  const older = olderElsewhere(ref);
  // Whoever decided may have died before publishing: a replica will publish one of the two.
  if (older.some(view.isUnpublished)) return "waits";
  // An older command between two attempts gets its own final result.
  return older.some((one) => view.look(one).kind === "free") ? "stands" : view.finalElsewhere(ref);
};

/**
 * An operator decides, unless a late answer or another operator was faster. The view must be ready, and be fed
 * meanwhile. Rejects where the decision may have been written and could not be read back.
 */
export const endInJournal = async (
  deps: ResolveDeps,
  ref: Ref,
  decision: Decision,
  signal: AbortSignal,
): Promise<Resolved> => {
  const { view } = deps;
  const firstLook = view.look(ref);
  if (firstLook.kind === "doubt" && !decision.force) {
    // The clock of the operator's machine is not used: if it is fast, a young claim looks old.
    const position = await appendProbe({ deps }, ref, signal);
    const nowMs = deps.timeOf(position);
    if (nowMs === null || nowMs < resolvableAtMs(firstLook.claim)) return { kind: "tooYoung" };
  }
  const lastLook = view.look(ref);
  if (lastLook.kind !== "doubt") return withoutDoubt(deps, ref, lastLook, signal);

  const doubted = await resultAt(deps, ref, lastLook.position, signal);
  if (!doubted) return { kind: "unknown" };
  // It names the attempt in doubt, as a late answer would: the order in the log decides which of the two stands.
  const { attemptId, requestHash } = lastLook.claim;
  const { traceparent } = doubted;
  const conclusion = { attemptId, requestHash, note: `${decision.by}: ${decision.note}`, traceparent };
  const result = decisionOn(doubted.result, decision, deps.clock.now());
  const decided = await appendConclusion({ deps }, ref, conclusion, result, signal);

  const standingLook = view.look(ref);
  if (standingLook.kind !== "concluded")
    throw new Error("the journal began anew while the decision was read back");
  const { position } = standingLook;
  const standing = await resultAt(deps, ref, position, signal);
  if (!standing) return { kind: "decided", result: null, note: null, position };
  const elsewhere = finalElsewhere(deps, ref);
  await retryUntilAborted({ deps }, "publish", signal, () => publishFinal(deps, ref, standing, elsewhere));
  // Two people who decide alike in the same millisecond build the same bytes: the note says whose decision stands.
  const isOwn = standing.note === conclusion.note && standing.value.equals(decided.value);
  if (isOwn)
    return { kind: "resolved", result: standing.result, position, isPublished: elsewhere === "none" };
  return { kind: "decided", result: standing.result, note: standing.note, position };
};
