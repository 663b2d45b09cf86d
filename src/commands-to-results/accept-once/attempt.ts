import type { Outcome, CallPermit } from "../../partner/types.ts";
import { backoffMs } from "../../runtime/backoff.ts";
import { DeadlineError, type Stopwatch, startStopwatch } from "../../runtime/clock.ts";
import { decide } from "../disposition.ts";
import type { Verdict } from "../types.ts";
import type { CallReport } from "./breaker.ts";
import type { Step } from "./entry.ts";
import type { Job } from "./job.ts";
import type { PreparedCommand } from "./ports.ts";
import { linkedAbortController } from "../../runtime/linked-abort.ts";
import { neverSent, notClaimed } from "./verdicts-without-answer.ts";

/** A command past its deadline still waits this long for a permit, so that it does not spin. */
const SHORTEST_WAIT_MS = 1_000;
/** Ends what waits while a claim is written. Made once: its stack costs more than the waiting. */
const WRITTEN = new Error("it is written");

type CallWork = Extract<PreparedCommand["work"], { kind: "call" }>;
type Called = { outcome: Outcome; refusal: Verdict | null };

/** Makes the one call that a claim allows, or none. `refusal`: why the guard did not allow it. */
const callOnce = async (
  job: Job,
  { command, request }: CallWork,
  { attemptId, sinceClaimMs }: { attemptId: string; sinceClaimMs: Stopwatch },
): Promise<Called> => {
  const { ref, signals, deps } = job;
  const { callWithinMs, beginWithinMs } = deps.options;
  let refusal: Verdict | null = null;
  let asked = false;

  // Called in the synchronous step that writes the request: no await may come between. Allows one call per claim.
  const mayCall = (): boolean => {
    if (asked || signals.stop.aborted || !deps.mayStart() || !deps.view.holds(ref, attemptId)) return false;
    refusal = deps.guard(command, deps.clock.now());
    if (refusal !== null || sinceClaimMs() >= beginWithinMs) return false;
    asked = true;
    job.repeatable.delete(attemptId);
    job.unreleased = null;
    return true;
  };

  const withinMs = Math.max(callWithinMs - sinceClaimMs(), 0);
  const outcome = await deps.call(request, { signal: signals.cut, withinMs, mayCall });
  return { outcome, refusal };
};

/** Waits for a permit until the command's deadline. False if there was none. */
const acquirePermit = async (permit: CallPermit, job: Job): Promise<boolean> => {
  if (permit.tryAcquire()) return true;
  const { deps, signals } = job;
  const leftMs = Math.max(deps.options.deadlineMs - job.elapsedMs(), SHORTEST_WAIT_MS);
  return deps.clock
    .withDeadline(leftMs, signals.stop, (signal) => permit.acquire(signal))
    .then(
      () => true,
      () => false,
    );
};

/**
 * Writes a claim, until the command's deadline. Once no call may follow it, others get what this command holds; the
 * claim is still written, so that it is known what became of it.
 */
const writeClaim = async (job: Job, step: Step, giveBack: () => void): Promise<void> => {
  const { signals } = job;
  const { clock, options } = job.deps;
  const ended = linkedAbortController(signals.stop);
  const leftMs = Math.max(options.deadlineMs - job.elapsedMs(), 0);
  const ignored = (): void => undefined;
  clock.sleep(options.beginWithinMs, ended.signal).then(giveBack, ignored);
  clock.sleep(leftMs, ended.signal).then(() => ended.abort(new DeadlineError(leftMs)), ignored);
  try {
    // Not left while an append is under way: its claim must not land after the entry that releases it.
    await job.write(step, ended.signal);
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    job.verdictAtDeadline = job.lostCreate ?? notClaimed;
  } finally {
    ended.abort(WRITTEN);
  }
};

const reportOf = (outcome: Outcome, verdict: Verdict | null): CallReport => {
  if (verdict?.outcome === "IN_DOUBT") return "doubt";
  return outcome.kind === "notSent" ? "nothing" : "answer";
};

/**
 * One attempt: the claim and, if it wins in the journal, the call. Ends concluded, or in `repeatable`.
 * @param options.supersedes the attempt of a create whose owner is lost; null for none
 * @param options.leave called once with what the call says about the partner
 */
export const tryOnce = async (
  job: Job,
  work: CallWork,
  { supersedes, leave }: { supersedes: string | null; leave: (report: CallReport) => void },
): Promise<void> => {
  const { prepared, ref, deps } = job;
  const { callWithinMs, backoff } = deps.options;
  const attemptId = deps.newId();
  let report: CallReport = "nothing";
  let ended = false;
  const hasEnded = (): boolean => ended;
  const permit = deps.permit();
  /** Frees the permit, and the breaker's trial. */
  const end = (): void => {
    if (ended) return;
    ended = true;
    permit.release();
    leave(report);
  };
  const giveBack = (): void => {
    end();
    job.leaveSlot();
  };
  try {
    if (!(await acquirePermit(permit, job)) || deps.view.isNamedElsewhere(ref)) return;
    const sinceClaimMs = startStopwatch(deps.clock);
    const { requestHash, receivedAt, identity } = prepared;
    const { quoteId } = identity;
    const { attempts } = job;
    job.repeatable.set(attemptId, job.lostCreate ?? neverSent);
    job.unreleased = attemptId;
    job.retrying = giveBack;
    await writeClaim(
      job,
      { kind: "claimed", attemptId, requestHash, callWithinMs, receivedAt, attempts, supersedes, quoteId },
      giveBack,
    );
    if (hasEnded()) return;
    // Acknowledged does not mean won: another claim may precede this one in the log.
    if (!deps.view.holds(ref, attemptId)) return;

    const { outcome, refusal } = await callOnce(job, work, { attemptId, sinceClaimMs });
    // Frees the permit for another call before the conclusion is written.
    permit.release();
    if (outcome.kind !== "notSent") {
      job.attempts += 1;
      job.lastAnswer = outcome.answer ?? job.lastAnswer;
      job.repeatable.delete(attemptId);
    } else if (refusal !== null) {
      await job.conclude(attemptId, job.lostCreate ?? refusal);
      return;
    }
    const disposition = decide(ref.operation, outcome, job.attempts);
    if (disposition.kind === "conclude") {
      report = reportOf(outcome, disposition.verdict);
      // The others need not wait until it is written.
      end();
      await job.conclude(attemptId, disposition.verdict);
      return;
    }
    report = reportOf(outcome, null);
    // Whatever the disposition says, an accept that was sent and not refused keeps its claim, and ends as a doubt.
    const mayBeExecuted = ["unknown", "unclear", "executed"].includes(outcome.kind);
    if (ref.operation === "ACCEPT_QUOTE" && mayBeExecuted) return;
    if (mayBeExecuted) job.lostCreate = disposition.verdictAtDeadline;
    job.verdictAtDeadline = job.lostCreate ?? disposition.verdictAtDeadline;
    job.repeatable.set(attemptId, job.verdictAtDeadline);
    job.unreleased = attemptId;
    const waitMs = disposition.afterMs ?? backoffMs(backoff, job.repeatable.size - 1, deps.random());
    job.notBeforeMs = job.elapsedMs() + waitMs;
  } finally {
    end();
    job.retrying = () => undefined;
  }
};
