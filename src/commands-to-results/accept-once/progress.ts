import type { Answer } from "../../partner/types.ts";
import { backoffMs } from "../../runtime/backoff.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Stopwatch } from "../../runtime/clock.ts";
import type { Verdict } from "../types.ts";
import type { AttemptOutcome } from "./attempt.ts";
import type { Claim } from "./fold-rules.ts";
import type { WrittenConclusion } from "./kafka-retry.ts";
import type { CallKnowledge, OwnAttempt } from "./next-step.ts";
import type { Options } from "./ports.ts";
import { createOwnerLost, neverSent } from "./verdicts-without-answer.ts";

/** What this replica knows of one command, besides the journal. Each step returns it anew. */
export type AttemptProgress = {
  readonly own: OwnAttempt;
  /** What is known of this replica's earlier calls, by attemptId: a late copy of their claims may still come. */
  readonly calls: ReadonlyMap<string, CallKnowledge>;
  /** Calls that were sent, by all replicas, as far as it is known. */
  readonly callsSent: number;
  readonly lastAnswer: Answer | null;
  /** The verdict when no call follows. */
  readonly verdict: Verdict;
  /** The verdict of a create whose call may have been executed, unless the partner refuses a later one. */
  readonly lost: Verdict | null;
  /** No call before the elapsed time reaches this. */
  readonly notBeforeMs: number;
  /** For so long people paused it: its deadline does not run meanwhile. */
  readonly pausedMs: number;
  /** The conclusion of the last attempt. */
  readonly conclusion: WrittenConclusion | null;
  /** The claim of another owner that is waited for. */
  readonly watched: { attemptId: string; sinceMs: Stopwatch } | null;
  /** Whether the command's partition was just read up to now. */
  readonly isReadUp: boolean;
  /** An entry that retention has deleted. */
  readonly gone: RecordPosition | null;
};

export const START: AttemptProgress = {
  own: { kind: "none" },
  calls: new Map(),
  callsSent: 0,
  lastAnswer: null,
  verdict: neverSent,
  lost: null,
  notBeforeMs: 0,
  pausedMs: 0,
  conclusion: null,
  watched: null,
  isReadUp: false,
  gone: null,
};

/** What an attempt found out. */
export const afterAttempt = (
  progress: AttemptProgress,
  attempted: AttemptOutcome,
  { elapsedMs, random, backoff }: { elapsedMs: number; random: number; backoff: Options["backoff"] },
): AttemptProgress => {
  const { attemptId, answer } = attempted;
  const callsSent = progress.callsSent + attempted.calls;
  const sent = { ...progress, callsSent, lastAnswer: answer ?? progress.lastAnswer };
  if (attempted.kind === "ended")
    return { ...sent, own: { kind: "ended", attemptId, verdict: attempted.verdict } };
  const lost = attempted.kind === "mayBeExecuted" ? attempted.verdict : progress.lost;
  // Once a call of a create may have been executed, the claim must stay: each later attempt counts as `mayBeExecuted`.
  const kind = lost === null ? attempted.kind : "mayBeExecuted";
  const waitMs = attempted.afterMs ?? backoffMs(backoff, progress.calls.size, random);
  return {
    ...sent,
    own: { kind, attemptId },
    calls: new Map(progress.calls).set(attemptId, kind),
    lost,
    verdict: lost ?? attempted.verdict,
    notBeforeMs: waitMs > 0 ? elapsedMs + waitMs : progress.notBeforeMs,
  };
};

/** The claim of a create whose owner is lost is this replica's now. */
export const afterAdoption = (progress: AttemptProgress, { attemptId, attempts }: Claim): AttemptProgress => {
  const lost = progress.lost ?? createOwnerLost;
  return {
    ...progress,
    calls: new Map(progress.calls).set(attemptId, "mayBeExecuted"),
    // The lost call counts: it may have been sent.
    callsSent: Math.max(progress.callsSent, attempts + 1),
    lost,
    verdict: lost,
  };
};
