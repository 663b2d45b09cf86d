import { isSamePosition } from "../../runtime/record-position.ts";
import type { Job } from "./attempt.ts";
import type { CommandIdLocks } from "./command-id-locks.ts";
import type { Claim } from "./fold-rules.ts";
import { closedGate, type ClosedGate, type Standing } from "./gates.ts";
import type { CallKnowledge, Facts, JournalSays } from "./next-step.ts";
import type { Pass } from "./pass.ts";
import type { AttemptProgress } from "./progress.ts";

export type Running = Job & {
  commandIds: CommandIdLocks;
  pass: Pass;
  hasSlot: () => boolean;
  /** Milliseconds since this replica took the command up. */
  elapsedMs: () => number;
};

/**
 * How much longer the owner of a claim may be at its call. Measured from the claim's LogAppendTime and from when this
 * replica first saw it, whichever ends first: clock skew can cause a needless doubt, never a second call.
 */
const patienceMs = ({ deps }: Job, { watched }: AttemptProgress, claim: Claim): number => {
  const { clock, options } = deps;
  const watchedMs = watched?.attemptId === claim.attemptId ? watched.sinceMs() : 0;
  const ageMs = Math.max(clock.now() - claim.timestampMs, watchedMs);
  return claim.callWithinMs + options.takeoverMarginMs - ageMs;
};

const journalSays = (job: Running, progress: AttemptProgress): JournalSays => {
  const { deps, prepared, commandIds } = job;
  const { view } = deps;
  const { ref, requestHash } = prepared;
  if (!view.ready()) return { kind: "unread" };
  if (view.hasOtherContent(ref, requestHash)) return { kind: "otherContent" };
  const look = view.look(ref);
  const callOf = ({ attemptId }: Claim): CallKnowledge => progress.calls.get(attemptId) ?? "nothing";
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

/** Returns null for an invalid command: no call follows. */
export const standingOf = (
  { prepared, signals, pass, elapsedMs }: Running,
  progress: AttemptProgress,
): Standing | null => {
  const { work, ref } = prepared;
  if (work.kind === "refuse") return null;
  const { notBeforeMs, callsSent: calls, lost, verdict, pausedMs } = progress;
  const shared = { operation: ref.operation, command: work.command, stop: signals.stop, pass };
  return { ...shared, notBeforeMs, calls, lost, verdict, elapsedMs: () => elapsedMs() - pausedMs };
};

const gateOf = (job: Running, progress: AttemptProgress, journal: JournalSays): ClosedGate | null => {
  const standing = standingOf(job, progress);
  if (standing === null || (journal.kind !== "free" && journal.kind !== "held"))
    return job.signals.stop.aborted ? { kind: "stop", gate: "stopping" } : null;
  const willCall = journal.kind !== "free" || !journal.isTaken;
  return closedGate({ ...standing, place: "claim", willCall }, job.deps);
};

/** Looks at all that decides the next step. */
export const factsOf = (job: Running, progress: AttemptProgress): Facts => {
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
