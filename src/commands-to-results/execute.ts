import { answer } from "./journal-rules/answer.ts";
import { tryOnce } from "./journal-rules/attempt.ts";
import type { Breaker, CallReport } from "./journal-rules/breaker.ts";
import { createBreaker } from "./journal-rules/breaker.ts";
import type { CommandNames } from "./journal-rules/command-names.ts";
import { createCommandNames } from "./journal-rules/command-names.ts";
import type { Job } from "./journal-rules/job.ts";
import { createJob, release, writeConclusion } from "./journal-rules/job.ts";
import type { Deps, Item, Lifeline, Place, Settled } from "./journal-rules/ports.ts";
import { takeOver } from "./journal-rules/takeover.ts";

/** Between two looks at whether the group still counts on this replica. */
const HEARTBEAT_POLL_MS = 250;

/**
 * Executes a command: an accept once at most, whatever happens to this process or to any other.
 * Resolves when the command's offset may be committed: its result is durable (IN_DOUBT too), or a dead letter is asked for. Rejects when
 * it was stopped or abandoned; then nothing may be committed, and whoever gets the command next finds in the journal how far it came.
 */
export type Execute = (item: Item, lifeline: Lifeline, place: Place) => Promise<Settled>;

/** An attempt of this job that did nothing holds the key still, or again. */
const endOwnAttempt = async (job: Job, attemptId: string): Promise<void> => {
  const verdict = job.harmless.get(attemptId);
  const noTimeLeft = Math.max(job.elapsedMs(), job.notBeforeMs) >= job.deps.options.deadlineMs;
  if (verdict && noTimeLeft && !job.lifeline.stop.aborted) await writeConclusion(job, { attemptId, verdict });
  else await release(job, attemptId);
};

/** Nobody holds the command, as far as was read: it is refused, waits, or is claimed. */
const begin = async (job: Job, breaker: Breaker): Promise<void> => {
  const { deps, ref, lifeline, place } = job;
  const { work } = job.item;
  const { clock, options } = deps;
  if (work.kind === "refuse") return writeConclusion(job, { attemptId: null, verdict: work.verdict });
  const verdict = deps.guard(work.command, clock.now());
  if (verdict !== null) return writeConclusion(job, { attemptId: null, verdict });

  const leftMs = options.deadlineMs - Math.max(job.elapsedMs(), job.notBeforeMs);
  if (leftMs <= 0) return writeConclusion(job, { attemptId: null, verdict: job.otherwise });

  const waitMs = job.notBeforeMs - job.elapsedMs();
  if (waitMs > 0) return clock.sleep(waitMs, lifeline.stop);
  if (!deps.mayStart()) return clock.sleep(Math.min(HEARTBEAT_POLL_MS, leftMs), lifeline.stop);

  if (ref.operation === "CREATE_QUOTE")
    return tryOnce(job, work, { supersedes: null, leave: () => undefined });
  const pass = breaker.enter();
  if (pass)
    return tryOnce(job, work, { supersedes: null, leave: (report: CallReport) => pass.leave(report) });
  place.leave();
  await breaker.wait(leftMs, lifeline.stop);
  await place.take(lifeline.stop);
};

/** Journal first, guards second: looks at what the log says of the command, does the one thing that follows, and looks again. */
const run = async (job: Job, breaker: Breaker, names: CommandNames): Promise<Settled> => {
  const { deps, item, ref, lifeline } = job;
  for (;;) {
    // What was said must be published even while the process drains.
    await deps.view.untilReady(job.said ? lifeline.abandon : lifeline.stop);
    lifeline.abandon.throwIfAborted();
    if (deps.view.hasOtherContent(ref, item.requestHash)) return { kind: "reused" };
    const found = deps.view.look(ref);
    if (found.kind === "free") {
      lifeline.stop.throwIfAborted();
      if (job.placeless) {
        await job.place.take(lifeline.stop);
        job.placeless = false;
        continue;
      }
      // No await may stand between this and the first entry: what the commandId names may be read meanwhile.
      if (deps.view.isNamedElsewhere(ref) || !names.take(job)) return { kind: "reused" };
      await begin(job, breaker);
      continue;
    }
    if (found.kind !== "concluded") {
      const { attemptId } = found.claim;
      const verdict = job.harmless.get(attemptId);
      if (found.kind === "held" && verdict) {
        await endOwnAttempt(job, attemptId);
        continue;
      }
      if (found.kind === "held") {
        lifeline.stop.throwIfAborted();
        await takeOver(job, found.claim);
        continue;
      }
      if (verdict) {
        // Somebody took this owner for dead and doubted a call that did nothing: only this job can tell.
        await writeConclusion(job, { attemptId, verdict });
        continue;
      }
    }
    const settled = await answer(job, found);
    if (settled) return settled;
  }
};

export const createExecute = (deps: Deps): Execute => {
  const { clock, observer, options } = deps;
  const breaker = createBreaker({
    clock,
    failures: options.breakerFailures,
    pauseMs: options.breakerPauseMs,
    changed: (state) => observer.breaker(state),
  });
  const names = createCommandNames();
  return async (item, lifeline, place) => {
    const own = deps.traced ? { ...deps, ...deps.traced(item.envelope) } : deps;
    const job = createJob(own, item, lifeline, place);
    try {
      return await run(job, breaker, names);
    } catch (error) {
      // A claim whose call never left would cost a needless doubt.
      if (job.unreleased !== null && !lifeline.abandon.aborted) await release(job, job.unreleased);
      throw error;
    } finally {
      names.giveBack(job);
    }
  };
};
