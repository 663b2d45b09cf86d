import { startStopwatch } from "../../runtime/clock.ts";
import { tryOnce } from "./attempt.ts";
import type { Job } from "./job.ts";
import type { Claim } from "./fold-rules.ts";
import { acceptOwnerLost, createOwnerLost } from "./verdicts-without-answer.ts";

/**
 * How much longer the owner of a claim may be at its call. Measured from the claim's LogAppendTime and from when this
 * job first saw it, whichever ends first: clock skew can cause a needless doubt, never a second call.
 */
const patienceLeftMs = (job: Job, { attemptId, callWithinMs, timestampMs }: Claim): number => {
  const { clock, options } = job.deps;
  if (job.watchedClaim?.attemptId !== attemptId)
    job.watchedClaim = { attemptId, sinceMs: startStopwatch(clock) };
  const ageMs = Math.max(clock.now() - timestampMs, job.watchedClaim.sinceMs());
  return callWithinMs + options.takeoverMarginMs - ageMs;
};

/** The key is held by an attempt of another job: waits for its conclusion, and concludes once its time is over. */
export const takeOver = async (job: Job, claim: Claim): Promise<void> => {
  const { deps, ref } = job;
  const { work } = job.prepared;
  const leftMs = patienceLeftMs(job, claim);
  // Until another entry of the key comes.
  if (leftMs > 0) return job.waitAtMost(leftMs, (signal) => deps.view.changed(ref, signal));
  deps.observer.takeover(ref, claim.attemptId);
  const { attemptId, receivedAt } = claim;
  // The lost call counts as an attempt: it may have been sent.
  const lost = { receivedAt, attempts: claim.attempts + 1 };
  if (ref.operation === "ACCEPT_QUOTE") return job.conclude(attemptId, acceptOwnerLost, lost);
  job.attempts = Math.max(job.attempts, lost.attempts);
  const isTooLate = job.elapsedMs() >= deps.options.deadlineMs;
  if (work.kind === "refuse" || isTooLate || deps.guard(work.command, deps.clock.now()) !== null)
    return job.conclude(attemptId, createOwnerLost, lost);
  job.lostCreate ??= createOwnerLost;
  await tryOnce(job, work, { supersedes: attemptId, leave: () => undefined });
};
