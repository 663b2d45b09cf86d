import type { Answer, Outcome } from "../../partner/types.ts";
import { DeadlineError, type Stopwatch, startStopwatch } from "../../runtime/clock.ts";
import { linkedAbortController } from "../../runtime/abort.ts";
import { decide } from "../disposition.ts";
import type { Verdict } from "../types.ts";
import type { CallReport } from "./breaker.ts";
import type { JournalStep } from "./entry.ts";
import { closedGate, type Standing } from "./gates.ts";
import { appendAndReadBack } from "./kafka-retry.ts";
import type { CallKnowledge } from "./next-step.ts";
import type { Deps, PreparedCommand, Slot, StopSignals } from "./ports.ts";
import { notClaimed } from "./verdicts-without-answer.ts";
import { wait } from "./wait.ts";

const WRITTEN = new Error("it is written");

/** One command while this replica works on it. What it finds out is returned, never written here. */
export type Job = {
  readonly deps: Deps;
  readonly prepared: PreparedCommand;
  readonly signals: StopSignals;
  readonly slot: Slot;
};

type CallWork = Extract<PreparedCommand["work"], { kind: "call" }>;

/** What one attempt found out. `calls`: 1 if at least a part of its call was sent. */
export type AttemptOutcome = { attemptId: string; calls: 0 | 1; answer: Answer | null } & (
  | { kind: "ended"; verdict: Verdict }
  /** `verdict`: the one if no time is left for another call. `afterMs`: the partner asked for this pause. */
  | { kind: Exclude<CallKnowledge, "nothing">; verdict: Verdict; afterMs: number | null }
);

/** What an attempt begins with. */
type AttemptInput = { supersedes: string | null; willCall: boolean; standing: Standing };

/**
 * Writes the claim, until the command's deadline. Returns false if that came first. After `beginWithinMs` no call may
 * follow this claim, so permit and slot are released. Writing goes on, because the claim may be on its way to the log.
 */
const writeClaim = async (
  { deps, prepared, signals, slot }: Job,
  { elapsedMs, pass }: Standing,
  step: JournalStep,
): Promise<boolean> => {
  const { clock, options } = deps;
  const { operation, commandId, key } = prepared.ref;
  const writing = linkedAbortController(signals.stop);
  const runAfter = (ms: number, act: () => void): void =>
    void wait(clock, Math.max(ms, 0), writing.signal).then(() => writing.signal.aborted || act());
  const leftMs = options.deadlineMs - elapsedMs();
  runAfter(options.beginWithinMs, () => {
    pass.give("nothing");
    slot.leave();
  });
  runAfter(leftMs, () => writing.abort(new DeadlineError(leftMs)));
  try {
    // An append that is under way is waited for: its claim must not land after the entry that releases it.
    await appendAndReadBack(deps, key, { operation, commandId, step }, writing.signal);
    return true;
  } catch (error) {
    if (!writing.signal.aborted) throw error;
    return false;
  } finally {
    writing.abort(WRITTEN);
  }
};

/** Only what says that the partner is ill counts against it: no connection, no answer, 5xx. */
const reportOf = (outcome: Outcome): CallReport => {
  const answer = outcome.kind === "notSent" ? null : outcome.answer;
  return answer === null || answer.httpStatus >= 500 ? "ill" : "answer";
};

/** Makes the one call that a claim allows, or none. */
const callOnce = async (
  { deps, signals }: Job,
  { request }: CallWork,
  { sinceClaimMs, isAllowed }: { sinceClaimMs: Stopwatch; isAllowed: () => boolean },
): Promise<{ outcome: Outcome; report: CallReport }> => {
  let permission = "unused" as "unused" | "used" | "refused";
  // Called in the synchronous step that writes the request: no await may come between. Allows one call per claim.
  const mayCall = (): boolean => {
    if (permission === "used") return false;
    permission = isAllowed() ? "used" : "refused";
    return permission === "used";
  };
  const withinMs = Math.max(deps.options.callWithinMs - sinceClaimMs(), 0);
  const outcome = await deps.call(request, { signal: signals.cut, withinMs, mayCall });
  const isOwnDoing = signals.cut.aborted || permission === "refused";
  return { outcome, report: isOwnDoing ? "nothing" : reportOf(outcome) };
};

const MAY_BE_EXECUTED: readonly Outcome["kind"][] = ["unknown", "unclear", "executed"];

/** One attempt: the claim and, if it wins in the journal, the call. */
export const attempt = async (
  job: Job,
  work: CallWork,
  { supersedes, willCall, standing }: AttemptInput,
): Promise<AttemptOutcome> => {
  const { prepared, deps } = job;
  const { ref, requestHash, receivedAt, identity } = prepared;
  const { calls, pass } = standing;
  const attemptId = deps.newId();
  let report: CallReport = "nothing";
  if (willCall) pass.take();
  const notBegun = (verdict: Verdict): AttemptOutcome => ({
    kind: "notExecuted",
    attemptId,
    calls: 0,
    answer: null,
    verdict,
    afterMs: 0,
  });
  try {
    const sinceClaimMs = startStopwatch(deps.clock);
    const { quoteId } = identity;
    const { callWithinMs, beginWithinMs } = deps.options;
    const claim = { attemptId, requestHash, callWithinMs, receivedAt, attempts: calls, supersedes, quoteId };
    if (!(await writeClaim(job, standing, { kind: "claimed", ...claim }))) return notBegun(notClaimed);

    // Acknowledged does not mean won: another claim may precede this one in the log.
    const isAllowed = (): boolean =>
      closedGate({ ...standing, place: "bytes", willCall: true }, deps) === null &&
      deps.view.holds(ref, attemptId) &&
      sinceClaimMs() < beginWithinMs;
    if (!isAllowed()) return notBegun(standing.verdict);
    const call = await callOnce(job, work, { sinceClaimMs, isAllowed });
    report = call.report;
    const { outcome } = call;
    const isSent = outcome.kind !== "notSent";
    const sent = { attemptId, calls: isSent ? 1 : 0, answer: isSent ? outcome.answer : null } as const;
    const disposition = decide(ref.operation, outcome, calls + sent.calls);
    if (disposition.kind === "conclude") {
      if (disposition.verdict.outcome === "IN_DOUBT") pass.doubt(ref, attemptId);
      return { ...sent, kind: "ended", verdict: disposition.verdict };
    }
    const { verdictAtDeadline: verdict, afterMs } = disposition;
    const kind = MAY_BE_EXECUTED.includes(outcome.kind) ? "mayBeExecuted" : "notExecuted";
    return { ...sent, kind, verdict, afterMs };
  } finally {
    // Other calls need not wait until the conclusion is written.
    pass.give(report);
  }
};
