import { startStopwatch } from "../../runtime/clock.ts";
import { buildResult } from "../build-result.ts";
import type { Verdict } from "../types.ts";
import { attempt, type Job } from "./attempt.ts";
import type { JournalStep } from "./entry.ts";
import { standingOf, type Running } from "./facts.ts";
import type { Claim } from "./fold-rules.ts";
import { appendAndReadBack, appendConclusion, appendProbe } from "./kafka-retry.ts";
import type { NextStep, Waiting } from "./next-step.ts";
import type { Settled, StopSignals } from "./ports.ts";
import { afterAdoption, afterAttempt, type AttemptProgress } from "./progress.ts";
import { publishStandingResult } from "./publish-result.ts";
import { wait } from "./wait.ts";

/** The events that end a wait, beside a change of the command's key, the time, and a stop. */
const eventsOf = (job: Running, event: Waiting): ((signal: AbortSignal) => Promise<void>)[] => {
  const { deps, commandIds, pass, prepared } = job;
  const { view } = deps;
  const key = (signal: AbortSignal): Promise<void> => view.changed(prepared.ref, signal);
  const events: Record<Waiting, ((signal: AbortSignal) => Promise<void>)[]> = {
    time: [],
    key: [],
    ready: [view.untilReady],
    resumed: [deps.acceptsResumed],
    breaker: [pass.breakerChanged],
    permit: [pass.permitFree],
    commandId: [(signal) => commandIds.freed(prepared.ref, signal)],
  };
  return [key, ...events[event]];
};

const write = async ({ deps, prepared, signals }: Job, step: JournalStep): Promise<void> => {
  const { operation, key, commandId } = prepared.ref;
  await appendAndReadBack(deps, key, { operation, commandId, step }, signals.abandon);
};

/** Appends a conclusion. Whether it counts is for the fold to say. */
const conclude = async (
  job: Running,
  progress: AttemptProgress,
  { attemptId, verdict, lost }: { attemptId: string | null; verdict: Verdict; lost: Claim | null },
): Promise<AttemptProgress> => {
  const { deps, prepared, signals } = job;
  // No call follows, so the slot is free for another command while this one is written and published.
  job.slot.leave();
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
  const conclusion = await appendConclusion(deps, ref, about, result, signals.abandon);
  if (attemptId === null) return progress;
  return { ...progress, own: { kind: "concluded" }, conclusion };
};

/** Waits for what ends when the command is stopped: then the loop decides again. */
const untilStopped = async ({ stop }: StopSignals, pending: Promise<unknown>): Promise<void> => {
  await pending.catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
};

type Next = AttemptProgress | { settled: Settled };

/** Each step is performed here and nowhere else. */
type Performers = {
  [K in NextStep["kind"]]: (
    job: Running,
    progress: AttemptProgress,
    step: Extract<NextStep, { kind: K }>,
  ) => Next | Promise<Next>;
};

const performers: Performers = {
  stop: ({ signals }) => {
    signals.stop.throwIfAborted();
    throw new Error("the command was stopped");
  },
  reused: () => ({ settled: "reused" }),
  readUp: async ({ deps, prepared, signals, slot }, progress) => {
    slot.leave();
    await untilStopped(signals, appendProbe(deps, prepared.ref, signals.stop));
    return { ...progress, isReadUp: true };
  },
  refuse: (job, progress, { verdict }) => {
    job.commandIds.acquire(job);
    return conclude(job, progress, { attemptId: null, verdict, lost: null });
  },
  conclude: (job, progress, { attemptId, verdict, lost }) => {
    if (lost) job.deps.observer.takeover(job.prepared.ref, attemptId);
    return conclude(job, progress, { attemptId, verdict, lost });
  },
  release: async (job, progress, { attemptId }) => {
    // A partition that takes nothing must not keep the slot.
    job.slot.leave();
    await write(job, { kind: "released", attemptId });
    const { own } = progress;
    const isLast = own.kind === "notExecuted" && own.attemptId === attemptId;
    return isLast ? { ...progress, own: { kind: "none" } } : progress;
  },
  adopt: ({ deps, prepared }, progress, { claim }) => {
    deps.observer.takeover(prepared.ref, claim.attemptId);
    return afterAdoption(progress, claim);
  },
  takeSlot: async ({ slot, signals }, progress) => {
    await untilStopped(signals, slot.take(signals.stop));
    return progress;
  },
  claim: async (job, progress, { supersedes, willCall }) => {
    const standing = standingOf(job, progress);
    const { work } = job.prepared;
    if (standing === null || work.kind === "refuse") throw new Error("an invalid command is never called");
    job.commandIds.acquire(job);
    const attempted = await attempt(job, work, { supersedes, willCall, standing });
    const { random, options } = job.deps;
    const timing = { elapsedMs: standing.elapsedMs(), random: random(), backoff: options.backoff };
    return afterAttempt(progress, attempted, timing);
  },
  publish: async (job, progress, { position }) => {
    job.slot.leave();
    const end = await publishStandingResult(job, position, progress.conclusion);
    if (end === "gone") return { ...progress, gone: position };
    return end === "changed" ? progress : { settled: end };
  },
  wait: async (job, progress, { ms, event, watch }) => {
    const { deps, signals, slot } = job;
    const waitedMs = startStopwatch(deps.clock);
    const watched =
      watch === null || watch === progress.watched?.attemptId
        ? progress.watched
        : { attemptId: watch, sinceMs: waitedMs };
    slot.leave();
    // What this replica has concluded must be published even while it stops.
    const signal = progress.own.kind === "concluded" ? signals.abandon : signals.stop;
    await wait(deps.clock, ms, signal, ...eventsOf(job, event));
    const pausedMs = progress.pausedMs + (event === "resumed" ? waitedMs() : 0);
    return { ...progress, watched, pausedMs, gone: null };
  },
};

export const perform = (job: Running, progress: AttemptProgress, step: NextStep): Next | Promise<Next> => {
  // The cast is safe: the performer is the one of the step's kind.
  const performer = performers[step.kind] as (
    job: Running,
    progress: AttemptProgress,
    step: NextStep,
  ) => Promise<Next>;
  return performer(job, progress, step);
};
