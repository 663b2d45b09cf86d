import type { Answer } from "../../partner/types.ts";
import { buildResult } from "../build-result.ts";
import type { Verdict } from "../types.ts";
import { appendAndReadBack, appendConclusion, type WrittenConclusion } from "./kafka-retry.ts";
import type { Ref, Step } from "./entry.ts";
import type { Deps, PreparedCommand, StopSignals, Slot } from "./ports.ts";
import { DeadlineError, startStopwatch, type Stopwatch } from "../../runtime/clock.ts";
import { neverSent } from "./verdicts-without-answer.ts";

/** One command while this replica works on it. */
export class Job {
  readonly deps: Deps;
  readonly prepared: PreparedCommand;
  readonly ref: Ref;
  readonly signals: StopSignals;
  readonly #slot: Slot;
  readonly #headStartMs: number;
  readonly #stopwatch: Stopwatch;
  /** The slot was left: the job must take one before it begins anything. */
  #hasLeftSlot = false;
  /** Called when a write to Kafka, or a read, is tried again. */
  retrying = (): void => undefined;
  /** For so long people paused it: its deadline does not run meanwhile. */
  pausedMs = 0;
  /** Calls of which at least a part was sent to the partner. */
  attempts = 0;
  /** The last answer that came, whatever was tried after it. */
  lastAnswer: Answer | null = null;
  /**
   * Attempts of this job that may be repeated: their call was never begun or provably not executed, or it was
   * a create, of which a second one does no harm. Each with the verdict if no time is left. Only this job
   * knows, so only it may release them; other replicas must treat an accept among them as a doubt.
   */
  readonly repeatable = new Map<string, Verdict>();
  /** An attempt in `repeatable` whose claim may be in the log and is not released. */
  unreleased: string | null = null;
  /** No call before `elapsedMs` reaches this. */
  notBeforeMs = 0;
  /** The verdict of a create whose earlier call may have been executed, unless the partner refuses a later one. */
  lostCreate: Verdict | null = null;
  /** The verdict when no time is left for another call. */
  verdictAtDeadline: Verdict = neverSent;
  /** The claim of another job that this one waits for. */
  watchedClaim: { attemptId: string; sinceMs: Stopwatch } | null = null;
  /** The conclusion of this job's last attempt. Whether it stands is for the fold to say. */
  ownConclusion: WrittenConclusion | null = null;

  constructor(deps: Deps, prepared: PreparedCommand, signals: StopSignals, slot: Slot) {
    const observer: Deps["observer"] = {
      ...deps.observer,
      retrying: (what, error) => {
        // A partition that takes nothing may do so for hours.
        this.leaveSlot();
        this.retrying();
        deps.observer.retrying(what, error);
      },
    };
    this.deps = { ...deps, observer };
    this.prepared = prepared;
    this.ref = prepared.ref;
    this.signals = signals;
    this.#slot = slot;
    this.#headStartMs = Math.max(deps.clock.now() - prepared.receivedAt, 0);
    this.#stopwatch = startStopwatch(deps.clock);
  }

  /** Since this replica took the command up, without the time for which people paused it. */
  elapsedMs(): number {
    return this.#headStartMs + this.#stopwatch() - this.pausedMs;
  }

  /** Frees the slot for another command. */
  leaveSlot(): void {
    this.#slot.leave();
    this.#hasLeftSlot = true;
  }

  /** Takes the slot again if it was left. Whether it had to: the view must be read again then. */
  async retakeSlot(): Promise<boolean> {
    if (!this.#hasLeftSlot) return false;
    await this.#slot.take(this.signals.stop);
    this.#hasLeftSlot = false;
    return true;
  }

  /** Waits without the slot: thousands may wait, and commands of other keys go on. */
  async waitFor<T>(event: Promise<T>): Promise<T> {
    this.leaveSlot();
    return event;
  }

  /** The same for an event that may never come. */
  async waitAtMost(maxMs: number, event: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await this.waitFor(this.deps.clock.withDeadline(maxMs, this.signals.stop, event));
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
    }
  }

  /** Appends an entry of the command and waits until the view has folded it. */
  async write(step: Step, signal: AbortSignal): Promise<void> {
    const { operation, key, commandId } = this.ref;
    await appendAndReadBack(this.deps, key, { operation, commandId, step }, signal);
  }

  /** Appends a conclusion. Whether it counts is for the fold to say. `attemptId` null: there was no attempt. */
  async conclude(
    attemptId: string | null,
    verdict: Verdict,
    { attempts, receivedAt } = { attempts: this.attempts, receivedAt: this.prepared.receivedAt },
  ): Promise<void> {
    // No call follows, so the slot is free for another command while this one is written and published.
    this.leaveSlot();
    const { identity, requestHash, envelope } = this.prepared;
    // A doubt is about the last call: the answer to one before it would seem to settle that.
    const answer = verdict.outcome === "IN_DOUBT" ? verdict.answer : (verdict.answer ?? this.lastAnswer);
    const facts = { identity, receivedAt, completedAt: this.deps.clock.now(), attempts };
    const result = buildResult(facts, { ...verdict, answer });
    const conclusion = { attemptId, requestHash, note: null, traceparent: envelope.traceparent };
    const written = await appendConclusion(this.deps, this.ref, conclusion, result, this.signals.abandon);
    if (attemptId === null) return;
    if (this.unreleased === attemptId) this.unreleased = null;
    this.ownConclusion = written;
  }

  /** Releases the claim of an own attempt that may be repeated. */
  async release(attemptId: string): Promise<void> {
    await this.write({ kind: "released", attemptId }, this.signals.abandon);
    if (this.unreleased === attemptId) this.unreleased = null;
  }
}
