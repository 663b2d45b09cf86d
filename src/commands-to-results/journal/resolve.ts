import type { CommandResult } from "../../records.ts";
import type { ErrorCode } from "../types.ts";
import { appendAndReadBack, durably } from "./durably.ts";
import type { JournalRecord, Position, Ref } from "./entry.ts";
import { keyName } from "./fingerprint.ts";
import type { Doubt } from "./partition-view.ts";
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
  | { kind: "resolved"; result: CommandResult }
  /** There is a final result already; null when it is QUOTE_ALREADY_TAKEN, of which the journal holds no record of its own. */
  | { kind: "decided"; result: CommandResult | null }
  | { kind: "tooYoung"; ageMs: number; neededMs: number }
  /** Held: its owner, or whoever gets the command next, will end it. */
  | { kind: "underWay" }
  | { kind: "unknown" };

/** A claim must be so many times older than its call may take before an operator may end its doubt. */
const AGE_FACTOR = 20;

/** Finds where a command stands in the journal, of which only the commandId is known. Takes every record that the view takes. */
export const createFinder = (commandId: string) => {
  const found = new Map<string, Ref>();
  return {
    take: ({ key, entry }: JournalRecord): void => {
      if (entry?.commandId !== commandId) return;
      const ref = { operation: entry.operation, key, commandId };
      found.set(keyName(ref), ref);
    },
    refs: (): Ref[] => [...found.values()],
  };
};

type ResolveDeps = Pick<
  Deps,
  "clock" | "view" | "journal" | "publish" | "codec" | "random" | "observer" | "options"
> & {
  /** The resultId of a command's final result. */
  finalResultId: (commandId: string) => string;
};

const resultAt = async (
  deps: ResolveDeps,
  position: Position,
  signal: AbortSignal,
): Promise<{ result: CommandResult; value: Buffer; traceparent: string | null } | null> => {
  const entry = await durably(deps, "reread", signal, () => deps.journal.reread(position));
  if (entry?.step.kind !== "concluded") return null;
  const { result: value, traceparent } = entry.step;
  return { result: deps.codec.decode(value), value, traceparent };
};

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
  { ref, claim, position }: Doubt,
  decision: Decision,
  signal: AbortSignal,
): Promise<Buffer | null> => {
  const doubted = await resultAt(deps, position, signal);
  if (!doubted) return null;
  const result = decisionOn(deps, doubted.result, decision);
  const value = deps.codec.encode(result);
  const { operation, commandId } = ref;
  // It names the attempt that is in doubt, as a late answer would: the log decides which of the two came first.
  const { attemptId, requestHash } = claim;
  const note = `${decision.by}: ${decision.note}`;
  const { outcome, resultId } = result;
  const { traceparent } = doubted;
  const facts = { attemptId, requestHash, outcome, resultId, result: value, note, traceparent };
  const step = { kind: "concluded" as const, ...facts };
  await appendAndReadBack(deps, ref.key, { operation, commandId, step }, signal);
  return value;
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
  const { clock, view, journal } = deps;
  const before = view.look(ref);
  if (before.kind === "free") return { kind: "unknown" };
  if (before.kind === "held") return { kind: "underWay" };
  if (before.kind === "concluded")
    return { kind: "decided", result: (await resultAt(deps, before.position, signal))?.result ?? null };

  // A replica frozen right before its call could still make it: the older the claim, the less likely there is one.
  const ageMs = clock.now() - before.claim.timestampMs;
  const neededMs = before.claim.callWithinMs * AGE_FACTOR;
  if (ageMs < neededMs && !decision.force) return { kind: "tooYoung", ageMs, neededMs };

  const said = await appendDecision(deps, { ref, ...before, sinceMs: ageMs }, decision, signal);
  const after = view.look(ref);
  if (said === null || after.kind !== "concluded") return { kind: "unknown" };
  const standing = await resultAt(deps, after.position, signal);
  if (!standing) return { kind: "decided", result: null };
  const { result, value, traceparent } = standing;
  await durably(deps, "publish", signal, () => deps.publish(result, value, { traceparent, origin: null }));
  const { operation, commandId } = ref;
  const step = { kind: "published" as const, resultId: result.resultId };
  await durably(deps, "append", signal, () => journal.append(ref.key, { operation, commandId, step }));
  return { kind: value.equals(said) ? "resolved" : "decided", result };
};
