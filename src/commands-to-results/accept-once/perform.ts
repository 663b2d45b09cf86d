import { startStopwatch } from "../../runtime/clock.ts";
import { buildResult } from "../build-result.ts";
import type { Verdict } from "../types.ts";
import { attempt } from "./attempt.ts";
import type { Claim } from "./fold-rules.ts";
import { appendAndReadBack, appendConclusion, appendProbe } from "./kafka-retry.ts";
import type { NextStep, Waiting } from "./next-step.ts";
import type { Settled, StopSignals } from "./ports.ts";
import { afterAdoption, afterAttempt, type AttemptProgress, type Job } from "./progress.ts";
import { publishStandingResult } from "./publish-result.ts";
import { wait } from "./wait.ts";

/** What ends a wait, beside the time, a stop, and a change of the command's key. */
const eventsOf = ({ deps, pass, prepared }: Job, event: Waiting) => {
  const keyChanged = (signal: AbortSignal): Promise<void> => deps.view.changed(prepared.ref, signal);
  if (event === "ready") return [keyChanged, deps.view.untilReady];
  return event === "permit" ? [keyChanged, pass.permitFree] : [keyChanged];
};

/** @param lost the claim of another owner, who never concluded it */
const conclude = async (
  job: Job,
  progress: AttemptProgress,
  attemptId: string | null,
  verdict: Verdict,
  lost: Claim | null = null,
): Promise<AttemptProgress> => {
  const { deps, prepared, signals, slot } = job;
  // No call follows, so the slot is free for another command while this one is written and published.
  slot.leave();
  const { identity, requestHash, envelope, ref } = prepared;
  // A doubt is about the last call: the answer to one before it would seem to settle that.
  const answer = verdict.outcome === "IN_DOUBT" ? verdict.answer : (verdict.answer ?? progress.lastAnswer);
  // The lost call counts as an attempt: it may have been sent.
  const { receivedAt, attempts } = lost
    ? { receivedAt: lost.receivedAt, attempts: lost.attempts + 1 }
    : { receivedAt: prepared.receivedAt, attempts: progress.callsSent };
  const facts = { identity, receivedAt, completedAt: deps.clock.now(), attempts };
  const result = buildResult(facts, { ...verdict, answer });
  const about = { attemptId, requestHash, note: null, traceparent: envelope.traceparent };
  const conclusion = await appendConclusion(job, ref, about, result, signals.abandon);
  if (attemptId === null) return progress;
  return { ...progress, own: { kind: "concluded" }, conclusion };
};

/** Waits for what ends when the command is stopped: then the loop decides again. */
const untilStopped = async ({ stop }: StopSignals, pending: Promise<unknown>): Promise<void> => {
  await pending.catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
};

/** Performs a step. Each is performed here and nowhere else. */
export const perform = async (
  job: Job,
  progress: AttemptProgress,
  step: NextStep,
): Promise<AttemptProgress | { settled: Settled }> => {
  const { deps, prepared, signals, slot } = job;
  const { ref, work } = prepared;
  switch (step.kind) {
    case "stop":
      signals.stop.throwIfAborted();
      throw new Error("the command was stopped");
    case "reused":
      return { settled: "reused" };
    case "readUp":
      slot.leave();
      await untilStopped(signals, appendProbe(job, ref, signals.stop));
      return { ...progress, isReadUp: true };
    case "refuse":
      job.commandIds.acquire(job);
      return conclude(job, progress, null, step.verdict);
    case "conclude":
      return conclude(job, progress, step.attemptId, step.verdict);
    case "concludeLost":
      deps.observer.takeover(ref, step.claim.attemptId);
      return conclude(job, progress, step.claim.attemptId, step.verdict, step.claim);
    case "release": {
      const { attemptId } = step;
      // A partition that takes nothing must not keep the slot.
      slot.leave();
      await appendAndReadBack(job, ref, { kind: "released", attemptId }, signals.abandon);
      const { own } = progress;
      const isLast = own.kind === "notExecuted" && own.attemptId === attemptId;
      return isLast ? { ...progress, own: { kind: "none" } } : progress;
    }
    case "adopt":
      deps.observer.takeover(ref, step.claim.attemptId);
      return afterAdoption(progress, step.claim);
    case "takeSlot":
      await untilStopped(signals, slot.take(signals.stop));
      return progress;
    case "claim":
      if (work.kind === "refuse") throw new Error("an invalid command is never called");
      job.commandIds.acquire(job);
      return afterAttempt(job, progress, await attempt(job, progress, work, step));
    case "publish": {
      slot.leave();
      const settled = await publishStandingResult(job, step.position, progress);
      return settled === null ? progress : { settled };
    }
    case "wait": {
      const { ms, event, watch } = step;
      const waitedMs = startStopwatch(deps.clock);
      const watched =
        watch === null || watch === progress.watched?.attemptId
          ? progress.watched
          : { attemptId: watch, sinceMs: waitedMs };
      slot.leave();
      // What this replica has concluded must be published even while it stops.
      const signal = progress.own.kind === "concluded" ? signals.abandon : signals.stop;
      await wait(deps.clock, ms, signal, ...eventsOf(job, event));
      const pausedMs = progress.pausedMs + (event === "pause" ? waitedMs() : 0);
      return { ...progress, watched, pausedMs };
    }
  }
};
