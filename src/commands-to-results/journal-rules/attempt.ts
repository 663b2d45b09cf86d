import type { Outcome, Pass } from "../../partner/types.ts";
import { backoffMs } from "../../runtime/backoff.ts";
import type { Verdict } from "../types.ts";
import type { CallReport } from "./breaker.ts";
import type { Job } from "./job.ts";
import { writeConclusion, writeStep } from "./job.ts";
import type { Work } from "./ports.ts";
import type { Stopwatch } from "../../runtime/stopwatch.ts";
import { startStopwatch } from "../../runtime/stopwatch.ts";
import { createOwnerLost, neverSent } from "./verdicts.ts";

/** So long a command whose deadline has passed waits at the partner's gate at least: it need not be asked about more often. */
const SHORTEST_WAIT_MS = 1_000;

type CallWork = Extract<Work, { kind: "call" }>;
type Called = { outcome: Outcome; refusal: Verdict | null };

/** Makes the one call that a claim allows, or none. */
const callOnce = async (
  job: Job,
  { command, request }: CallWork,
  { attemptId, sinceClaimMs }: { attemptId: string; sinceClaimMs: Stopwatch },
): Promise<Called> => {
  const { ref, lifeline, deps } = job;
  const { callWithinMs, beginWithinMs } = deps.options;
  let refusal: Verdict | null = null;
  let asked = false;

  // Everything that must hold is looked at here, in the step that hands over the bytes: no await may come between. One yes per claim.
  const mayCall = (): boolean => {
    if (asked || lifeline.stop.aborted || !deps.mayStart() || !deps.view.holds(ref, attemptId)) return false;
    refusal = deps.guard(command, deps.clock.now());
    if (refusal !== null || sinceClaimMs() >= beginWithinMs) return false;
    asked = true;
    job.harmless.delete(attemptId);
    job.unreleased = null;
    return true;
  };

  const withinMs = Math.max(callWithinMs - sinceClaimMs(), 0);
  const outcome = await deps.call(request, { signal: lifeline.cut, withinMs, mayCall });
  return { outcome, refusal };
};

/** Waits at the partner's gate, for as long as the command has time. False when it was not let in. */
const admitted = async (pass: Pass, { deps, lifeline, elapsedMs }: Job): Promise<boolean> => {
  if (pass.enter()) return true;
  const leftMs = Math.max(deps.options.deadlineMs - elapsedMs(), SHORTEST_WAIT_MS);
  return deps.clock
    .withDeadline(leftMs, lifeline.stop, (signal) => pass.wait(signal))
    .then(
      () => true,
      () => false,
    );
};

const reportOf = (outcome: Outcome, verdict: Verdict | null): CallReport => {
  if (verdict?.outcome === "IN_DOUBT") return "doubt";
  return outcome.kind === "notSent" ? "nothing" : "answer";
};

/**
 * One claim and, if the log grants it, its call. Ends with a Concluded, or with the attempt noted as harmless.
 * @param options.supersedes the attempt of a create's lost owner
 * @param options.leave hears once what the call said about the partner
 */
export const tryOnce = async (
  job: Job,
  work: CallWork,
  { supersedes, leave }: { supersedes: string | null; leave: (report: CallReport) => void },
): Promise<void> => {
  const { item, ref, deps, lifeline } = job;
  const { callWithinMs, backoff } = deps.options;
  const attemptId = deps.newId();
  let report: CallReport = "nothing";
  const pass = deps.pass();
  try {
    if (!(await admitted(pass, job)) || deps.view.isNamedElsewhere(ref)) return;
    const sinceClaimMs = startStopwatch(deps.clock);
    const {
      requestHash,
      receivedAt,
      identity: { quoteId },
    } = item;
    const { attempts } = job;
    job.harmless.set(attemptId, neverSent);
    job.unreleased = attemptId;
    await writeStep(
      job,
      { kind: "claimed", attemptId, requestHash, callWithinMs, receivedAt, attempts, supersedes, quoteId },
      lifeline.stop,
    );
    // An acknowledgement is no permission: somebody else's claim may stand before this one.
    if (!deps.view.holds(ref, attemptId)) return;

    const { outcome, refusal } = await callOnce(job, work, { attemptId, sinceClaimMs });
    // What follows need not keep another call waiting.
    pass.leave();
    if (outcome.kind !== "notSent") {
      job.attempts += 1;
      job.harmless.delete(attemptId);
    } else if (refusal !== null) {
      // The lost owner of a create may have been answered: that it is too late now is no proof that nothing was done.
      const verdict = supersedes === null ? refusal : createOwnerLost;
      await writeConclusion(job, { attemptId, verdict });
      return;
    }
    const disposition = deps.decide(ref.operation, outcome);
    if (disposition.kind === "conclude") {
      report = reportOf(outcome, disposition.verdict);
      await writeConclusion(job, { attemptId, verdict: disposition.verdict });
      return;
    }
    report = reportOf(outcome, null);
    // Whatever was decided: an accept that left and was not refused stays claimed, and is doubted when its time is over.
    if (ref.operation === "ACCEPT_QUOTE" && (outcome.kind === "unknown" || outcome.kind === "executed"))
      return;
    job.harmless.set(attemptId, disposition.otherwise);
    job.unreleased = attemptId;
    job.otherwise = disposition.otherwise;
    const waitMs = disposition.afterMs ?? backoffMs(backoff, job.harmless.size - 1, deps.random());
    job.notBeforeMs = job.elapsedMs() + waitMs;
  } finally {
    pass.leave();
    leave(report);
  }
};
