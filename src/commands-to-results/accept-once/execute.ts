import { publishStandingResult } from "./publish-result.ts";
import { tryOnce } from "./attempt.ts";
import { createBreaker, type Breaker } from "./breaker.ts";
import { createCommandIdLocks, type CommandIdLocks } from "./command-id-locks.ts";
import { Job } from "./job.ts";
import type { Deps, PreparedCommand, StopSignals, Slot, Settled } from "./ports.ts";
import { startStopwatch } from "../../runtime/clock.ts";
import { takeOver } from "./takeover.ts";
import type { Command, Verdict } from "../types.ts";

/** How often a command checks whether the group's heartbeat is fresh again. */
const HEARTBEAT_POLL_MS = 250;
/** How often a command checks what became of another one with its commandId, which has no entry in the journal yet. */
const COMMAND_ID_POLL_MS = 250;
/** How often an accept checks whether people still pause the accepts. */
const PAUSE_POLL_MS = 1_000;

/**
 * Executes a command; an accept is sent once at most, whatever happens to this or another process. Resolves
 * when the result is durable (IN_DOUBT too) and the offset may be committed, or with `reused`: the caller
 * writes a dead letter first. Rejects when stopped or abandoned: the offset must not be committed, and the
 * next replica finds in the journal how far the command came.
 */
export type Execute = (prepared: PreparedCommand, signals: StopSignals, slot: Slot) => Promise<Settled>;

/** Ends an attempt of this job that may be repeated but still holds the key. */
const endOwnAttempt = async (job: Job, attemptId: string, verdict: Verdict): Promise<void> => {
  const noTimeLeft = Math.max(job.elapsedMs(), job.notBeforeMs) >= job.deps.options.deadlineMs;
  if (noTimeLeft && !job.signals.stop.aborted) await job.conclude(attemptId, verdict);
  else await job.release(attemptId);
};

/** What all commands of this replica have in common. */
type Shared = { breaker: Breaker; commandIds: CommandIdLocks; moment: () => Promise<void> };

/** A moment that all who wait share: thousands of timers and listeners of one signal would stop the process. */
const sharedMoment = ({ clock }: Pick<Deps, "clock">): (() => Promise<void>) => {
  let moment: Promise<void> | null = null;
  return () => (moment ??= clock.sleep(PAUSE_POLL_MS).finally(() => (moment = null)));
};

/**
 * Waits without its slot. The deadline does not run meanwhile: the commands' own age and expiry bound how long an
 * accept waits for people.
 */
const waitWhilePaused = async (job: Job, command: Command, moment: () => Promise<void>): Promise<void> => {
  const { deps, signals } = job;
  const waitedMs = startStopwatch(deps.clock);
  do {
    await job.waitFor(moment());
    signals.stop.throwIfAborted();
  } while (deps.acceptsPaused() && deps.guard(command, deps.clock.now()) === null);
  job.pausedMs += waitedMs();
};

/** The view shows no claim on the key: refuse the command, wait, or claim it. */
const begin = async (job: Job, { breaker, moment }: Shared): Promise<void> => {
  const { deps, ref, signals } = job;
  const { work } = job.prepared;
  const { clock, options } = deps;
  if (work.kind === "refuse") return job.conclude(null, work.verdict);
  const verdict = deps.guard(work.command, clock.now());
  if (verdict !== null) return job.conclude(null, job.lostCreate ?? verdict);
  if (ref.operation === "ACCEPT_QUOTE" && deps.acceptsPaused())
    return waitWhilePaused(job, work.command, moment);

  const leftMs = options.deadlineMs - Math.max(job.elapsedMs(), job.notBeforeMs);
  // A claim of this job that lands later holds nothing: the command has its final result before it.
  if (leftMs <= 0) return job.conclude(null, job.verdictAtDeadline);

  const waitMs = job.notBeforeMs - job.elapsedMs();
  if (waitMs > 0) return clock.sleep(waitMs, signals.stop);
  if (!deps.mayStart()) return clock.sleep(Math.min(HEARTBEAT_POLL_MS, leftMs), signals.stop);

  const admission = ref.operation === "CREATE_QUOTE" ? { leave: () => undefined } : breaker.enter();
  if (admission) return tryOnce(job, work, { supersedes: null, leave: admission.leave });
  await job.waitAtMost(breaker.pauseLeftMs(leftMs), breaker.changed);
};

/**
 * Reads the partition of the key up to now, by an entry that no fold acts on. A view that lags there may know the
 * other use of the commandId and not this one: each of the two could become a dead letter because of the other.
 */
const isStillNamedElsewhere = async (job: Job): Promise<boolean> => {
  const { deps, ref, signals } = job;
  await job.waitFor(job.write({ kind: "released", attemptId: deps.newId() }, signals.stop));
  return deps.view.isNamedElsewhere(ref);
};

/** A loop: read what the view says of the command, do the one thing that follows, read again. Journal before guards. */
const run = async (job: Job, shared: Shared): Promise<Settled> => {
  const { deps, prepared, ref, signals } = job;
  const { commandIds } = shared;
  for (;;) {
    // A conclusion that this job has appended must be published even while the process drains.
    await deps.view.untilReady(job.ownConclusion ? signals.abandon : signals.stop);
    signals.abandon.throwIfAborted();
    if (deps.view.hasOtherContent(ref, prepared.requestHash)) return "reused";
    const found = deps.view.look(ref);
    if (found.kind === "free") {
      signals.stop.throwIfAborted();
      if (await job.retakeSlot()) continue;
      // No await between these checks and `begin`: the view may fold another use of the commandId meanwhile.
      if (deps.view.isNamedElsewhere(ref)) {
        if (await isStillNamedElsewhere(job)) return "reused";
      } else if (commandIds.acquire(job)) await begin(job, shared);
      else await job.waitFor(deps.clock.sleep(COMMAND_ID_POLL_MS, signals.stop));
      continue;
    }
    const verdict = found.kind === "concluded" ? undefined : job.repeatable.get(found.claim.attemptId);
    if (found.kind === "held") {
      if (verdict) await endOwnAttempt(job, found.claim.attemptId, verdict);
      else {
        signals.stop.throwIfAborted();
        if (!(await job.retakeSlot())) await takeOver(job, found.claim);
      }
      continue;
    }
    if (found.kind === "doubt" && verdict) {
      // Another replica took over and concluded IN_DOUBT. Only this job knows that its call was not executed.
      await job.conclude(found.claim.attemptId, verdict);
      continue;
    }
    const settled = await publishStandingResult(job, found);
    if (settled) return settled;
  }
};

export const createExecute = (deps: Deps): Execute => {
  const { clock, observer, options } = deps;
  const breaker = createBreaker({
    clock,
    failures: options.breakerFailures,
    pauseMs: options.breakerPauseMs,
    changed: observer.breaker,
  });
  const commandIds = createCommandIdLocks();
  const moment = sharedMoment(deps);
  return async (prepared, signals, slot) => {
    const own = deps.traced ? { ...deps, ...deps.traced(prepared.envelope) } : deps;
    const job = new Job(own, prepared, signals, slot);
    try {
      return await run(job, { breaker, commandIds, moment });
    } catch (error) {
      // Otherwise the claim of a call that was never sent would end as a needless doubt.
      if (job.unreleased !== null && !signals.abandon.aborted) await job.release(job.unreleased);
      throw error;
    } finally {
      commandIds.release(job);
    }
  };
};
