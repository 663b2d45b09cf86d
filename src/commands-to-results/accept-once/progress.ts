import type { Answer } from "../../partner/types.ts";
import { backoffMs } from "../../runtime/backoff.ts";
import type { Stopwatch } from "../../runtime/clock.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Verdict } from "../types.ts";
import type { CommandIdLocks } from "./command-id-locks.ts";
import type { JournalStep } from "./entry.ts";
import type { Claim } from "./fold-rules.ts";
import type { WrittenConclusion } from "./kafka-retry.ts";
import type { Pass } from "./pass.ts";
import type { Deps, PreparedCommand, Slot, StopSignals } from "./ports.ts";
import { createOwnerLost, neverSent } from "./verdicts-without-answer.ts";

export type Job = {
  readonly deps: Deps;
  readonly prepared: PreparedCommand;
  readonly signals: StopSignals;
  readonly slot: Slot;
  readonly pass: Pass;
  readonly leavePlace: () => void;
  readonly commandIds: CommandIdLocks;
  /** Milliseconds since this replica took the command up. */
  readonly elapsedMs: () => number;
};

/** What this replica knows of an attempt's call. It knows nothing of those of others. */
export type CallKnowledge = "notExecuted" | "mayBeExecuted" | "nothing";

/** What is left to do of this replica's last attempt. */
export type OwnAttempt =
  /** Nothing. The claim of a create whose call may have been executed stays, so that the next owner meets it. */
  | { kind: "none" }
  /** Its call executed nothing, and its claim, which may be in the journal, is not released yet. */
  | { kind: "notExecuted"; attemptId: string }
  /** The call has ended, which is to be written. */
  | { kind: "ended"; attemptId: string; verdict: Verdict }
  /** Its end is in the journal. Whether that counts is for the fold to say. */
  | { kind: "concluded" };

/** A claim as it stands in the journal. */
export type WrittenClaim = Pick<JournalStep & { kind: "claimed" }, "receivedAt" | "attempts" | "quoteId"> & {
  position: RecordPosition;
};

/** What one attempt found out. `wasSent`: at least a part of its call was. */
export type AttemptOutcome = {
  attemptId: string;
  /** The attempt's own claim; null if the journal did not say in time where it stands. */
  claim: WrittenClaim | null;
  wasSent: boolean;
  answer: Answer | null;
} & (
  | { kind: "ended"; verdict: Verdict }
  /** `verdict`: the one if no time is left for another call. `afterMs`: the partner asked for this pause. */
  | { kind: Exclude<CallKnowledge, "nothing">; verdict: Verdict; afterMs: number | null }
);

/** What a replica knows of a command, besides the journal, when it takes the command up. Each step returns it anew. */
export const START = {
  own: { kind: "none" } as OwnAttempt,
  /** What is known of this replica's earlier calls, by attemptId: a late copy of their claims may still come. */
  calls: new Map() as ReadonlyMap<string, CallKnowledge>,
  /** Calls that were sent, by all replicas, as far as it is known. */
  callsSent: 0,
  lastAnswer: null as Answer | null,
  /** The verdict when no call follows. */
  verdict: neverSent,
  /** The verdict of a create whose call may have been executed, unless the partner refuses a later one. */
  lost: null as Verdict | null,
  /** No call before `activeMs` reaches this. */
  notBeforeMs: 0,
  /** For so long people paused it: its deadline does not run meanwhile. */
  pausedMs: 0,
  conclusion: null as WrittenConclusion | null,
  /** The claim of this replica's last attempt. */
  claim: null as WrittenClaim | null,
  /** The claim of another owner that is waited for. */
  watched: null as { attemptId: string; sinceMs: Stopwatch } | null,
  isReadUp: false,
};

export type AttemptProgress = Readonly<typeof START>;

/** Milliseconds since this replica took the command up, without the time for which people paused it. */
export const activeMs = (job: Job, { pausedMs }: AttemptProgress): number => job.elapsedMs() - pausedMs;

export const afterAttempt = (
  job: Job,
  progress: AttemptProgress,
  attempted: AttemptOutcome,
): AttemptProgress => {
  const { attemptId, answer, claim, wasSent } = attempted;
  const { options, random } = job.deps;
  const backOffMs = backoffMs(options.backoff, progress.calls.size, random());
  const callsSent = progress.callsSent + (wasSent ? 1 : 0);
  const sent = { ...progress, claim, callsSent, lastAnswer: answer ?? progress.lastAnswer };
  if (attempted.kind === "ended")
    return { ...sent, own: { kind: "ended", attemptId, verdict: attempted.verdict } };
  const lost = attempted.kind === "mayBeExecuted" ? attempted.verdict : progress.lost;
  // Once a call of a create may have been executed, the claim must stay: each later attempt counts as `mayBeExecuted`.
  const kind = lost === null ? attempted.kind : "mayBeExecuted";
  const waitMs = attempted.afterMs ?? backOffMs;
  return {
    ...sent,
    own: kind === "notExecuted" ? { kind, attemptId } : { kind: "none" },
    calls: new Map(progress.calls).set(attemptId, kind),
    lost,
    verdict: lost ?? attempted.verdict,
    notBeforeMs: waitMs > 0 ? activeMs(job, progress) + waitMs : progress.notBeforeMs,
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
