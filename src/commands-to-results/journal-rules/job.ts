import type { CommandResult } from "../../records.ts";
import type { Verdict } from "../types.ts";
import { appendAndReadBack } from "./durably.ts";
import type { Position, Ref, Step } from "./entry.ts";
import type { Deps, Item, Lifeline, Place } from "./ports.ts";
import type { Stopwatch } from "../../runtime/stopwatch.ts";
import { startStopwatch } from "../../runtime/stopwatch.ts";
import { neverSent } from "./verdicts.ts";

/** One command while this replica works on it. */
export type Job = {
  deps: Deps;
  item: Item;
  ref: Ref;
  lifeline: Lifeline;
  place: Place;
  /** It gave its place to others when it came to an end: to begin anew, if the log did not take that end, it needs one again. */
  placeless: boolean;
  /** Since the command was taken up. */
  elapsedMs: Stopwatch;
  /** Calls that left for the partner. */
  attempts: number;
  /**
   * Attempts of this job that are over and did nothing, or were never begun, each with the verdict for when no time is left. Only this job
   * knows it of them, and may release them; everybody else must doubt them.
   */
  harmless: Map<string, Verdict>;
  /** One of them whose claim may be in the log, not released. */
  unreleased: string | null;
  /** No call before this reading of `elapsedMs`. */
  notBeforeMs: number;
  /** What the command comes to when no time is left for another call. */
  otherwise: Verdict;
  /** A claim of somebody else that is waited for, and since when. */
  watched: { attemptId: string; sinceMs: Stopwatch } | null;
  /** The last end of an own attempt, and where it was appended. */
  said: { result: CommandResult; value: Buffer; position: Position } | null;
};

export const createJob = (deps: Deps, item: Item, lifeline: Lifeline, place: Place): Job => {
  const stopwatch = startStopwatch(deps.clock);
  const headStartMs = Math.max(deps.clock.now() - item.receivedAt, 0);
  return {
    deps,
    item,
    ref: item.ref,
    lifeline,
    place,
    placeless: false,
    elapsedMs: () => headStartMs + stopwatch(),
    attempts: 0,
    harmless: new Map(),
    unreleased: null,
    notBeforeMs: 0,
    otherwise: neverSent,
    watched: null,
    said: null,
  };
};

/** Appends a step of the job's command, or a shorter one that the log has room for, and waits for the own view to fold it. */
export const writeStep = (
  { deps, ref }: Job,
  step: Step,
  signal: AbortSignal,
  shorter = (): Step => step,
): Promise<Position> => {
  const { operation, key, commandId } = ref;
  return appendAndReadBack(deps, key, { operation, commandId, step }, signal, () => ({
    operation,
    commandId,
    step: shorter(),
  }));
};

/** Appends what the command came to. Whether it counts is for the fold to say. */
export const writeConclusion = async (
  job: Job,
  {
    attemptId,
    verdict,
    attempts = job.attempts,
    receivedAt = job.item.receivedAt,
  }: {
    attemptId: string | null;
    verdict: Verdict;
    attempts?: number;
    receivedAt?: number;
  },
): Promise<void> => {
  // No call follows: writing this down and publishing it need not keep another command from its own call.
  job.place.leave();
  job.placeless = true;
  const { identity, requestHash } = job.item;
  const { conclude, codec, clock } = job.deps;
  let result = conclude({ identity, receivedAt, completedAt: clock.now(), attempts }, verdict);
  let value = codec.encode(result);
  const { outcome, resultId } = result;
  const step = (): Step => ({
    kind: "concluded",
    attemptId,
    requestHash,
    outcome,
    resultId,
    result: value,
    note: null,
    traceparent: job.item.envelope.traceparent,
  });
  // What the command came to counts more than the text of the answer, which is all that can be too large.
  const withoutResponse = (): Step => {
    result = { ...result, response: null };
    value = codec.encode(result);
    return step();
  };
  const position = await writeStep(job, step(), job.lifeline.abandon, withoutResponse);
  if (attemptId !== null && job.unreleased === attemptId) job.unreleased = null;
  if (attemptId !== null) job.said = { result, value, position };
};

/** Says in the log that an own attempt did nothing. */
export const release = async (job: Job, attemptId: string): Promise<void> => {
  await writeStep(job, { kind: "released", attemptId }, job.lifeline.abandon);
  if (job.unreleased === attemptId) job.unreleased = null;
};
