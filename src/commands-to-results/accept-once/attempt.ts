import type { Outcome } from "../../partner/types.ts";
import { DeadlineError, type Stopwatch, startStopwatch } from "../../runtime/clock.ts";
import { linkedAbortController } from "../../runtime/abort.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { decide } from "../disposition.ts";
import type { Verdict } from "../types.ts";
import type { CallReport } from "./breaker.ts";
import type { JournalStep } from "./entry.ts";
import { closedGate } from "./gates.ts";
import { appendAndReadBack } from "./kafka-retry.ts";
import type { PreparedCommand } from "./ports.ts";
import { activeMs } from "./progress.ts";
import type { AttemptOutcome, AttemptProgress, Job, WrittenClaim } from "./progress.ts";
import { notClaimed } from "./verdicts-without-answer.ts";

type CallWork = Extract<PreparedCommand["work"], { kind: "call" }>;

/** Returns null if `leftMs` were not enough: no call may follow, although the claim may still reach the log. */
const writeClaim = async (job: Job, claim: JournalStep, leftMs: number): Promise<RecordPosition | null> => {
  const { deps, prepared, signals } = job;
  const writing = linkedAbortController(signals.stop);
  const cancelLeaving = deps.clock.after(deps.options.beginWithinMs, job.leavePlace);
  const cancelDeadline = deps.clock.after(Math.max(leftMs, 0), () =>
    writing.abort(new DeadlineError(leftMs)),
  );
  try {
    // An append that is under way is waited for: its claim must not land after the entry that releases it.
    return await appendAndReadBack(job, prepared.ref, claim, writing.signal);
  } catch (error) {
    if (!writing.signal.aborted) throw error;
    return null;
  } finally {
    cancelLeaving();
    cancelDeadline();
    writing.unlink();
  }
};

/** Only what says that the partner is ill counts against it: no connection, no answer, 5xx. */
const reportOf = (outcome: Outcome): CallReport => {
  const answer = outcome.kind === "notSent" ? null : outcome.answer;
  return answer === null || answer.httpStatus >= 500 ? "ill" : "answer";
};

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
  progress: AttemptProgress,
  work: CallWork,
  { supersedes, willCall }: { supersedes: string | null; willCall: boolean },
): Promise<AttemptOutcome> => {
  const { deps, prepared, pass } = job;
  const { ref, requestHash, receivedAt, identity } = prepared;
  const { callsSent, verdict } = progress;
  const { callWithinMs, beginWithinMs, deadlineMs } = deps.options;
  const attemptId = deps.newId();
  let report: CallReport = "nothing";
  const notBegun = (verdict: Verdict, claim: WrittenClaim | null): AttemptOutcome => {
    return { kind: "notExecuted", attemptId, claim, wasSent: false, answer: null, verdict, afterMs: 0 };
  };
  if (willCall) pass.take();
  try {
    const sinceClaimMs = startStopwatch(deps.clock);
    const { quoteId } = identity;
    const facts = { receivedAt, attempts: callsSent, quoteId };
    const step = { kind: "claimed", attemptId, requestHash, callWithinMs, supersedes, ...facts } as const;
    const position = await writeClaim(job, step, deadlineMs - activeMs(job, progress));
    if (position === null) return notBegun(notClaimed, null);
    const claim = { ...facts, position };

    // Acknowledged does not mean won: another claim may precede this one in the log.
    const isAllowed = (): boolean =>
      closedGate(job, progress, "bytes") === null &&
      deps.view.holds(ref, attemptId) &&
      sinceClaimMs() < beginWithinMs;
    if (!isAllowed()) return notBegun(verdict, claim);
    const call = await callOnce(job, work, { sinceClaimMs, isAllowed });
    report = call.report;
    const { outcome } = call;
    const wasSent = outcome.kind !== "notSent";
    const sent = { attemptId, claim, wasSent, answer: wasSent ? outcome.answer : null };
    const disposition = decide(ref.operation, outcome, callsSent + (wasSent ? 1 : 0));
    if (disposition.kind === "conclude") {
      if (disposition.verdict.outcome === "IN_DOUBT") pass.doubt(ref, attemptId);
      return { ...sent, kind: "ended", verdict: disposition.verdict };
    }
    const kind = MAY_BE_EXECUTED.includes(outcome.kind) ? "mayBeExecuted" : "notExecuted";
    return { ...sent, kind, verdict: disposition.verdictAtDeadline, afterMs: disposition.afterMs };
  } finally {
    // Other calls need not wait until the conclusion is written.
    pass.give(report);
  }
};
