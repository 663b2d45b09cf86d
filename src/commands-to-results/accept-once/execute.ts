import { startStopwatch } from "../../runtime/clock.ts";
import { isSamePosition } from "../../runtime/record-position.ts";
import { buildResult } from "../build-result.ts";
import { attempt, type Job } from "./attempt.ts";
import { createBreaker } from "./breaker.ts";
import { createCommandIdLocks, type CommandIdLocks } from "./command-id-locks.ts";
import type { Step as EntryStep } from "./entry.ts";
import type { Claim } from "./fold-rules.ts";
import { closedGate, type Closed, type Standing } from "./gates.ts";
import { appendAndReadBack, appendConclusion, appendProbe } from "./kafka-retry.ts";
import {
  nextStep,
  type CallKnown,
  type Facts,
  type JournalSays,
  type Step,
  type Waiting,
} from "./next-step.ts";
import { createPass, type Pass } from "./pass.ts";
import type { Deps, PreparedCommand, Settled, Slot, StopSignals } from "./ports.ts";
import { afterAdoption, afterAttempt, START, type Progress } from "./progress.ts";
import { publishStandingResult } from "./publish-result.ts";
import type { Verdict } from "../types.ts";
import { wait } from "./wait.ts";

/**
 * Executes a command; an accept is sent once at most, whatever happens to this or another process. Resolves
 * when the result is durable (IN_DOUBT too) and the offset may be committed, or with `reused`: the caller
 * writes a dead letter first. Rejects when stopped or abandoned: the offset must not be committed, and the
 * next replica finds in the journal how far the command came.
 */
export type Execute = (prepared: PreparedCommand, signals: StopSignals, slot: Slot) => Promise<Settled>;

type Running = Job & {
  commandIds: CommandIdLocks;
  pass: Pass;
  hasSlot: () => boolean;
  /** Since this replica took the command up. */
  elapsedMs: () => number;
};

/**
 * How much longer the owner of a claim may be at its call. Measured from the claim's LogAppendTime and from when this
 * replica first saw it, whichever ends first: clock skew can cause a needless doubt, never a second call.
 */
const patienceMs = ({ deps }: Job, { watched }: Progress, claim: Claim): number => {
  const { clock, options } = deps;
  const watchedMs = watched?.attemptId === claim.attemptId ? watched.sinceMs() : 0;
  const ageMs = Math.max(clock.now() - claim.timestampMs, watchedMs);
  return claim.callWithinMs + options.takeoverMarginMs - ageMs;
};

const journalSays = (job: Running, progress: Progress): JournalSays => {
  const { deps, prepared, commandIds } = job;
  const { view } = deps;
  const { ref, requestHash } = prepared;
  if (!view.ready()) return { kind: "unread" };
  if (view.hasOtherContent(ref, requestHash)) return { kind: "otherContent" };
  const look = view.look(ref);
  const callOf = ({ attemptId }: Claim): CallKnown => progress.calls.get(attemptId) ?? "nothing";
  switch (look.kind) {
    case "concluded": {
      const isGone = progress.gone !== null && isSamePosition(progress.gone, look.position);
      return { ...look, isGone };
    }
    case "doubt":
      return { ...look, call: callOf(look.claim) };
    case "held":
      return { ...look, call: callOf(look.claim), patienceMs: patienceMs(job, progress, look.claim) };
    case "free": {
      const isElsewhere = view.isNamedElsewhere(ref);
      const locked = commandIds.isFree(job) ? "this" : "locked";
      const name = !isElsewhere ? locked : progress.isReadUp ? "elsewhere" : "perhapsElsewhere";
      return { kind: "free", name, isTaken: look.isTaken };
    }
  }
};

/** Null for a command that is not to be called. */
const standingOf = ({ prepared, signals, pass, elapsedMs }: Running, progress: Progress): Standing | null => {
  const { work, ref } = prepared;
  if (work.kind === "refuse") return null;
  const { notBeforeMs, callsSent: calls, lost, verdict, pausedMs } = progress;
  const shared = { operation: ref.operation, command: work.command, stop: signals.stop, pass };
  return { ...shared, notBeforeMs, calls, lost, verdict, elapsedMs: () => elapsedMs() - pausedMs };
};

const gateOf = (job: Running, progress: Progress, journal: JournalSays): Closed | null => {
  const standing = standingOf(job, progress);
  if (standing === null || (journal.kind !== "free" && journal.kind !== "held"))
    return job.signals.stop.aborted ? { kind: "stop", gate: "stopping" } : null;
  const willCall = journal.kind !== "free" || !journal.isTaken;
  return closedGate({ ...standing, place: "claim", willCall }, job.deps);
};

const factsOf = (job: Running, progress: Progress): Facts => {
  const { prepared, hasSlot } = job;
  const { work, ref } = prepared;
  const journal = journalSays(job, progress);
  return {
    operation: ref.operation,
    refusal: work.kind === "refuse" ? work.verdict : null,
    journal,
    own: progress.own,
    verdict: progress.verdict,
    gate: gateOf(job, progress, journal),
    hasSlot: hasSlot(),
  };
};

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

const write = async ({ deps, prepared, signals }: Job, step: EntryStep): Promise<void> => {
  const { operation, key, commandId } = prepared.ref;
  await appendAndReadBack(deps, key, { operation, commandId, step }, signals.abandon);
};

/** Appends a conclusion. Whether it counts is for the fold to say. */
const conclude = async (
  job: Running,
  progress: Progress,
  { attemptId, verdict, lost }: { attemptId: string | null; verdict: Verdict; lost: Claim | null },
): Promise<Progress> => {
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

type Next = Progress | { settled: Settled };

/** Each step is performed here and nowhere else. */
type Performers = {
  [K in Step["kind"]]: (
    job: Running,
    progress: Progress,
    step: Extract<Step, { kind: K }>,
  ) => Next | Promise<Next>;
};

const perform: Performers = {
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
    const now = { elapsedMs: standing.elapsedMs(), random: random(), backoff: options.backoff };
    return afterAttempt(progress, attempted, now);
  },
  publish: async (job, progress, { position }) => {
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

/** The loop: look at the facts, decide, and do that one thing. */
const run = async (job: Running): Promise<Settled> => {
  let progress = START;
  for (;;) {
    job.signals.abandon.throwIfAborted();
    const step = nextStep(factsOf(job, progress));
    // Whoever does not go on towards its call leaves the queue for it.
    const isQueued = step.kind === "takeSlot" || (step.kind === "wait" && step.event === "permit");
    if (!isQueued && step.kind !== "claim") job.pass.give("nothing");
    // The cast is safe: the performer is the one of the step's kind.
    const performer = perform[step.kind] as (job: Running, progress: Progress, step: Step) => Promise<Next>;
    const next = await performer(job, { ...progress, isReadUp: false }, step);
    if ("settled" in next) return next.settled;
    progress = next;
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
  return async (prepared, signals, slot) => {
    let hasSlot = true;
    const ownSlot: Slot = {
      leave: () => {
        hasSlot = false;
        slot.leave();
      },
      take: async (signal) => {
        await slot.take(signal);
        hasSlot = true;
      },
    };
    const pass = createPass(deps.permit(), prepared.ref.operation === "ACCEPT_QUOTE" ? breaker : null);
    const retrying: Deps["observer"]["retrying"] = (what, error) => {
      // A partition that takes nothing may do so for hours.
      pass.give("nothing");
      ownSlot.leave();
      observer.retrying(what, error);
    };
    const own = { ...deps, ...deps.traced?.(prepared.envelope), observer: { ...observer, retrying } };
    const headStartMs = Math.max(clock.now() - prepared.receivedAt, 0);
    const sinceMs = startStopwatch(clock);
    const elapsedMs = (): number => headStartMs + sinceMs();
    const job = {
      ...{ deps: own, prepared, signals, slot: ownSlot, pass, commandIds, elapsedMs },
      hasSlot: () => hasSlot,
    };
    try {
      return await run(job);
    } finally {
      pass.give("nothing");
      commandIds.release(job);
    }
  };
};
