import type { Answer } from "../../partner/types.ts";
import type { Verdict } from "../types.ts";
import { appendAndReadBack, appendConclusion, type WrittenConclusion } from "./kafka-retry.ts";
import type { Ref, Step } from "./entry.ts";
import type { Deps, Observer, PreparedCommand, StopSignals, Slot } from "./ports.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { buildResult } from "../build-result.ts";
import { DeadlineError, startStopwatch, type Stopwatch } from "../../runtime/clock.ts";
import { neverSent } from "./verdicts-without-answer.ts";

/** One command while this replica works on it. */
export type Job = {
  deps: Deps;
  prepared: PreparedCommand;
  ref: Ref;
  signals: StopSignals;
  slot: Slot;
  /** The slot was left, see `leaveSlot`: the job must take one before it begins anything. */
  hasLeftSlot: boolean;
  /** Called when a write to Kafka, or a read, is tried again. */
  retrying: () => void;
  /** Since this replica took the command up, without the time for which people paused it. */
  elapsedMs: Stopwatch;
  pausedMs: number;
  /** Calls of which at least a part was sent to the partner. */
  attempts: number;
  /** The last answer that came, whatever was tried after it; null for none. */
  lastAnswer: Answer | null;
  /**
   * Attempts of this job that may be repeated: their call was never begun or provably not executed, or it was
   * a create, of which a second one does no harm. Each with the verdict if no time is left. Only this job
   * knows, so only it may release them; other replicas must treat an accept among them as a doubt.
   */
  repeatable: Map<string, Verdict>;
  /** An attempt in `repeatable` whose claim may be in the log and is not released; null for none. */
  unreleased: string | null;
  /** No call before `elapsedMs` reaches this. */
  notBeforeMs: number;
  /**
   * The verdict of a create whose earlier call may have been executed, unless the partner refuses a later one. Null
   * for none.
   */
  lostCreate: Verdict | null;
  /** The verdict when no time is left for another call. */
  verdictAtDeadline: Verdict;
  /** The claim of another job that this one waits for. */
  watchedClaim: { attemptId: string; sinceMs: Stopwatch } | null;
  /**
   * The conclusion of this job's last attempt, and where it was appended. Whether it stands is for the fold
   * to say.
   */
  ownConclusion: WrittenConclusion | null;
};

export const createJob = (deps: Deps, prepared: PreparedCommand, signals: StopSignals, slot: Slot): Job => {
  const stopwatch = startStopwatch(deps.clock);
  const headStartMs = Math.max(deps.clock.now() - prepared.receivedAt, 0);
  const job: Job = {
    deps,
    prepared,
    ref: prepared.ref,
    signals,
    slot,
    hasLeftSlot: false,
    retrying: () => undefined,
    elapsedMs: () => headStartMs + stopwatch() - job.pausedMs,
    pausedMs: 0,
    attempts: 0,
    lastAnswer: null,
    repeatable: new Map(),
    unreleased: null,
    notBeforeMs: 0,
    lostCreate: null,
    verdictAtDeadline: neverSent,
    watchedClaim: null,
    ownConclusion: null,
  };
  const retrying: Observer["retrying"] = (what, error) => {
    // A partition that takes nothing may do so for hours.
    leaveSlot(job);
    job.retrying();
    deps.observer.retrying(what, error);
  };
  job.deps = { ...deps, observer: { ...deps.observer, retrying } };
  return job;
};

/** Frees the slot for another command. */
export const leaveSlot = (job: Job): void => {
  job.slot.leave();
  job.hasLeftSlot = true;
};

/** Takes the slot again if it was left. Whether it had to: the view must be read again then. */
export const retakeSlot = async (job: Job): Promise<boolean> => {
  if (!job.hasLeftSlot) return false;
  await job.slot.take(job.signals.stop);
  job.hasLeftSlot = false;
  return true;
};

/** Waits without a slot: thousands may wait, and commands of other keys go on. */
export const waitWithoutSlot = async <T>(job: Job, waiting: Promise<T>): Promise<T> => {
  leaveSlot(job);
  return waiting;
};

/** The same, until an event that may never come. */
export const waitAtMost = async (
  job: Job,
  maxMs: number,
  event: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const { clock } = job.deps;
  await waitWithoutSlot(job, clock.withDeadline(maxMs, job.signals.stop, event)).catch((error: unknown) => {
    if (!(error instanceof DeadlineError)) throw error;
  });
};

/** Appends an entry of the job's command and waits until the view has folded it. */
export const writeStep = (
  { deps, ref: { operation, key, commandId } }: Job,
  step: Step,
  signal: AbortSignal,
): Promise<RecordPosition> => appendAndReadBack(deps, key, { operation, commandId, step }, signal);

/** Appends a conclusion. Whether it counts is for the fold to say. `attemptId` null: there was no attempt. */
export const writeConclusion = async (
  job: Job,
  attemptId: string | null,
  verdict: Verdict,
  { attempts, receivedAt } = { attempts: job.attempts, receivedAt: job.prepared.receivedAt },
): Promise<void> => {
  // No call follows, so the slot is free for another command while this one is written and published.
  leaveSlot(job);
  const { identity, requestHash } = job.prepared;
  // A doubt is about the last call: the answer to one before it would seem to settle that.
  const answer = verdict.outcome === "IN_DOUBT" ? verdict.answer : (verdict.answer ?? job.lastAnswer);
  const facts = { identity, receivedAt, completedAt: job.deps.clock.now(), attempts };
  const result = buildResult(facts, { ...verdict, answer });
  const { traceparent } = job.prepared.envelope;
  const conclusion = { attemptId, requestHash, note: null, traceparent, signal: job.signals.abandon };
  const written = await appendConclusion(job.deps, job.ref, conclusion, result);
  if (attemptId === null) return;
  if (job.unreleased === attemptId) job.unreleased = null;
  job.ownConclusion = written;
};

/** Releases the claim of an own attempt that may be repeated. */
export const release = async (job: Job, attemptId: string): Promise<void> => {
  await writeStep(job, { kind: "released", attemptId }, job.signals.abandon);
  if (job.unreleased === attemptId) job.unreleased = null;
};
