import type { CommandResult } from "../../records.ts";
import type { ErrorCode } from "../types.ts";
import { appendAndReadBack, durably } from "./durably.ts";
import type { Entry, Position, Ref } from "./entry.ts";
import type { Doubt, Look } from "./partition-view.ts";
import type { Claim } from "./state.ts";
import type { Deps } from "./ports.ts";

/** An operator's word on a command in doubt. */
export type Decision = {
  as: "succeeded" | "not-executed";
  by: string;
  note: string;
  /** Decide although the claim is so young that its call may still be under way. */
  force: boolean;
};

export type Resolved =
  /** `position`: of the decision. */
  | { kind: "resolved"; result: CommandResult; position: Position }
  /**
   * There is a final result already, with the word of the operator who decided it; the result is null when it is QUOTE_ALREADY_TAKEN, of which the
   * journal holds no record of its own.
   */
  | { kind: "decided"; result: CommandResult | null; note: string | null; position: Position }
  | { kind: "tooYoung"; ageMs: number; neededMs: number }
  /** Held: its owner, or whoever gets the command next, will end it. */
  | { kind: "underWay" }
  | { kind: "unknown" };

/** A claim must be so many times older than its call may take before an operator may end its doubt. */
export const AGE_FACTOR = 20;

type ResolveDeps = Pick<
  Deps,
  "clock" | "view" | "journal" | "publish" | "codec" | "random" | "newId" | "observer" | "options"
> & {
  /** The resultId of a command's final result. */
  finalResultId: (commandId: string) => string;
  /** LogAppendTime of an entry of the command that the view has folded; null when it is not known. */
  timeOf: (position: Position) => number | null;
};

const resultAt = (
  deps: ResolveDeps,
  position: Position,
  signal: AbortSignal,
): Promise<{
  result: CommandResult;
  value: Buffer;
  note: string | null;
  traceparent: string | null;
} | null> => {
  // Decoding is tried again as well: the schema of an older result may have to be asked for first.
  return durably(deps, "reread", signal, async () => {
    const entry = await deps.journal.reread(position);
    if (entry?.step.kind !== "concluded") return null;
    const { result: value, note, traceparent } = entry.step;
    return { result: deps.codec.decode(value), value, note, traceparent };
  });
};

/** The quotes of doubts, as their commands spell them. */
export const quotesOf = (deps: ResolveDeps, refs: readonly Ref[], signal: AbortSignal): Promise<string[]> =>
  Promise.all(
    refs.map(async (ref) => {
      const found = deps.view.look(ref);
      const doubted = found.kind === "doubt" ? await resultAt(deps, found.position, signal) : null;
      return doubted?.result.quoteId ?? ref.key;
    }),
  );

const operatorCode: ErrorCode = "OPERATOR_DECISION";

const decisionOn = (
  deps: ResolveDeps,
  doubted: CommandResult,
  { as, by, note }: Decision,
): CommandResult => ({
  ...doubted,
  resultId: deps.finalResultId(doubted.commandId),
  outcome: as === "succeeded" ? "SUCCEEDED" : "FAILED",
  final: true,
  error: as === "succeeded" ? null : { code: operatorCode, message: `${by}: ${note}` },
  decidedBy: "OPERATOR",
  completedAt: deps.clock.now(),
});

const appendDecision = async (
  deps: ResolveDeps,
  { ref, claim, position }: Pick<Doubt, "ref" | "claim" | "position">,
  decision: Decision,
  signal: AbortSignal,
): Promise<Buffer | null> => {
  const doubted = await resultAt(deps, position, signal);
  if (!doubted) return null;
  let result = decisionOn(deps, doubted.result, decision);
  let value = deps.codec.encode(result);
  const { operation, commandId } = ref;
  // It names the attempt that is in doubt, as a late answer would: the log decides which of the two came first.
  const { attemptId, requestHash } = claim;
  const note = `${decision.by}: ${decision.note}`;
  const { outcome, resultId } = result;
  const { traceparent } = doubted;
  const entry = (): Entry => {
    const facts = { attemptId, requestHash, outcome, resultId, result: value, note, traceparent };
    return { operation, commandId, step: { kind: "concluded", ...facts } };
  };
  // The decision counts more than the text of the partner's last answer, which is all that can be too large.
  const withoutResponse = (): Entry => {
    result = { ...result, response: null };
    value = deps.codec.encode(result);
    return entry();
  };
  await appendAndReadBack(deps, ref.key, entry(), signal, withoutResponse);
  return value;
};

/**
 * How old a claim is by the journal's own clock: the time between two entries of one partition, of which the later one is appended for that
 * alone. The clock of the operator's machine has no say: one that is fast would make a young claim look old. A Released of an attempt that
 * nobody ever claimed changes nothing, on any replica: every replica that is stopped while it appends a claim may leave one behind.
 */
const ageOf = async (
  deps: ResolveDeps,
  { operation, key, commandId }: Ref,
  { timestampMs }: Claim,
  signal: AbortSignal,
): Promise<number> => {
  const step = { kind: "released" as const, attemptId: deps.newId() };
  const position = await appendAndReadBack(deps, key, { operation, commandId, step }, signal);
  const nowMs = deps.timeOf(position);
  return nowMs === null ? 0 : Math.max(nowMs - timestampMs, 0);
};

/** What is to be said of a command that is not in doubt. */
export const withoutDoubt = async (
  deps: ResolveDeps,
  found: Exclude<Look, { kind: "doubt" }>,
  signal: AbortSignal,
): Promise<Resolved> => {
  if (found.kind === "free") return { kind: "unknown" };
  if (found.kind === "held") return { kind: "underWay" };
  const { position } = found;
  const { result, note } = (await resultAt(deps, position, signal)) ?? { result: null, note: null };
  return { kind: "decided", result, note, position };
};

/**
 * Ends a command's doubt by an operator's word, unless its answer or another operator was faster. The view must be ready and be fed while this
 * runs.
 */
export const resolve = async (
  deps: ResolveDeps,
  ref: Ref,
  decision: Decision,
  signal: AbortSignal,
): Promise<Resolved> => {
  const { view, journal } = deps;
  const before = view.look(ref);
  if (before.kind !== "doubt") return withoutDoubt(deps, before, signal);

  if (!decision.force) {
    // A replica frozen right before its call could still make it: the older the claim, the less likely there is one.
    const ageMs = await ageOf(deps, ref, before.claim, signal);
    const neededMs = before.claim.callWithinMs * AGE_FACTOR;
    if (ageMs < neededMs) return { kind: "tooYoung", ageMs, neededMs };
  }
  const now = view.look(ref);
  if (now.kind !== "doubt") return withoutDoubt(deps, now, signal);

  const said = await appendDecision(deps, { ref, ...now }, decision, signal);
  const after = view.look(ref);
  if (said === null || after.kind !== "concluded") return { kind: "unknown" };
  const standing = await resultAt(deps, after.position, signal);
  const { position } = after;
  if (!standing) return { kind: "decided", result: null, note: null, position };
  const { result, value, note, traceparent } = standing;
  await durably(deps, "publish", signal, () => deps.publish(result, value, { traceparent, origin: null }));
  const { operation, commandId } = ref;
  const step = { kind: "published" as const, resultId: result.resultId };
  await durably(deps, "append", signal, () => journal.append(ref.key, { operation, commandId, step }));
  return value.equals(said)
    ? { kind: "resolved", result, position }
    : { kind: "decided", result, note, position };
};
