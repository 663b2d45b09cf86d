import { DeadlineError } from "../../runtime/clock.ts";
import { tryOnce } from "./attempt.ts";
import type { Job } from "./job.ts";
import { writeConclusion } from "./job.ts";
import type { Claim } from "./state.ts";
import { startStopwatch } from "../../runtime/stopwatch.ts";
import { acceptOwnerLost, createOwnerLost } from "./verdicts.ts";

/**
 * How much longer a claim's owner may still be at its call. Reckoned from the log's time and from when the claim was first seen, whichever ends
 * first: clocks that differ make a doubt that was not needed, never a second call.
 */
const patienceLeftMs = (job: Job, { attemptId, callWithinMs, timestampMs }: Claim): number => {
  const { clock, options } = job.deps;
  if (job.watched?.attemptId !== attemptId) job.watched = { attemptId, sinceMs: startStopwatch(clock) };
  const ageMs = Math.max(clock.now() - timestampMs, job.watched.sinceMs());
  return callWithinMs + options.takeoverMarginMs - ageMs;
};

/** Waits for something to happen to the key, without a place among those in flight. */
const waitForOwner = async ({ deps, ref, lifeline, place }: Job, leftMs: number): Promise<void> => {
  place.leave();
  try {
    await deps.clock.withDeadline(leftMs, lifeline.stop, (inner) => deps.view.changed(ref, inner));
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
  }
  await place.take(lifeline.stop);
};

/** A command that an attempt of another job holds: waits for its end, and after a while for nobody any more. */
export const takeOver = async (job: Job, claim: Claim): Promise<void> => {
  const { deps, ref } = job;
  const { work } = job.item;
  const leftMs = patienceLeftMs(job, claim);
  if (leftMs > 0) {
    await waitForOwner(job, leftMs);
    return;
  }
  deps.observer.takeover(ref, claim.attemptId);
  const { attemptId, receivedAt } = claim;
  // The lost call counts: it may have left.
  const lost = { attemptId, receivedAt, attempts: claim.attempts + 1 };
  if (ref.operation === "ACCEPT_QUOTE") {
    await writeConclusion(job, { ...lost, verdict: acceptOwnerLost });
    return;
  }
  job.attempts = Math.max(job.attempts, lost.attempts);
  const isTooLate = job.elapsedMs() >= deps.options.deadlineMs;
  if (work.kind === "refuse" || isTooLate || deps.guard(work.command, deps.clock.now()) !== null)
    await writeConclusion(job, { ...lost, verdict: createOwnerLost });
  else await tryOnce(job, work, { supersedes: attemptId, leave: () => undefined });
};
