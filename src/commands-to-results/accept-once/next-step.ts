import type { JournalOperation } from "../../records.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Verdict } from "../types.ts";
import type { Claim } from "./fold-rules.ts";
import type { ClosedGate } from "./gates.ts";
import { acceptOwnerLost, createOwnerLost } from "./verdicts-without-answer.ts";

/** What this replica knows of a call that an attempt may have made. Of the attempts of others it knows nothing. */
export type CallKnowledge = "notExecuted" | "mayBeExecuted" | "nothing";

/** The last attempt of this replica. */
export type OwnAttempt =
  | { kind: "none" }
  /** Its call executed nothing, and its claim, which may be in the journal, is not released yet. */
  | { kind: "notExecuted"; attemptId: string }
  /** A create whose call may have been executed. Its claim stays, so that the next owner meets it. */
  | { kind: "mayBeExecuted"; attemptId: string }
  /** The call has ended, which is to be written. */
  | { kind: "ended"; attemptId: string; verdict: Verdict }
  /** Its end is in the journal. Whether that counts is for the fold to say. */
  | { kind: "concluded" };

/** What the view says of the command. */
export type JournalSays =
  /** It is not complete. */
  | { kind: "unread" }
  /** The commandId names a command with other content. */
  | { kind: "otherContent" }
  /**
   * No attempt of this command has the key.
   * - `name`: what the commandId names. `perhapsElsewhere`: as far as the command's own partition was read.
   *   `locked`: another command of this replica has it, and no entry yet
   * - `isTaken`: another command holds the quote, is in doubt about it, or has used it
   */
  | { kind: "free"; name: "this" | "locked" | "perhapsElsewhere" | "elsewhere"; isTaken: boolean }
  /** `patienceMs`: how much longer the owner may be at its call */
  | { kind: "held"; claim: Claim; call: CallKnowledge; patienceMs: number }
  | { kind: "doubt"; claim: Claim; call: CallKnowledge; position: RecordPosition }
  /** `isGone`: the entry could not be read, because retention has deleted it. */
  | { kind: "concluded"; position: RecordPosition; isGone: boolean };

export type Facts = {
  operation: JournalOperation;
  /** Why an invalid command is not executed; null for a valid one. */
  refusal: Verdict | null;
  journal: JournalSays;
  own: OwnAttempt;
  /** The verdict when no call follows. */
  verdict: Verdict;
  /** The first gate that is closed; null if all are open. */
  gate: ClosedGate | null;
  hasSlot: boolean;
};

export type Waiting = Extract<ClosedGate, { kind: "wait" }>["event"] | "key" | "commandId";

export type NextStep =
  /** The process stops: the next owner goes on from the journal. */
  | { kind: "stop" }
  | { kind: "reused" }
  /** Reads the command's own partition up to now. */
  | { kind: "readUp" }
  /** Concludes the command without an attempt. */
  | { kind: "refuse"; verdict: Verdict }
  /** Concludes an attempt. `lost`: the claim, if another owner never concluded it; its call counts as sent. */
  | { kind: "conclude"; attemptId: string; verdict: Verdict; lost: Claim | null }
  | { kind: "release"; attemptId: string }
  /** Takes the claim of a create over from an owner that is lost. */
  | { kind: "adopt"; claim: Claim }
  /** Takes a slot for a claim. `willCall`: of that claim. */
  | { kind: "takeSlot"; willCall: boolean }
  /** Claims and calls. `willCall` false: the fold will refuse the claim, because the quote is taken. */
  | { kind: "claim"; supersedes: string | null; willCall: boolean }
  | { kind: "publish"; position: RecordPosition }
  /** Waits, and holds neither slot nor permit. `watch`: the claim of another owner that is waited for. */
  | { kind: "wait"; ms: number; event: Waiting; watch: string | null };

/** How often a command looks again while another one of this replica holds its commandId. */
const COMMAND_ID_POLL_MS = 250;
/** The longest wait for the journal before a command looks again. */
const JOURNAL_POLL_MS = 5_000;

const STOP: NextStep = { kind: "stop" };
const waitFor = (ms: number, event: Waiting, watch: string | null = null): NextStep => ({
  kind: "wait",
  ms,
  event,
  watch,
});
const conclude = (attemptId: string, verdict: Verdict, lost: Claim | null = null): NextStep => ({
  kind: "conclude",
  attemptId,
  verdict,
  lost,
});

/** The gates are asked before each claim, and a claim is made with a slot only. */
const claimOr = (
  { gate, hasSlot }: Facts,
  { supersedes, willCall }: { supersedes: string | null; willCall: boolean },
  end: (verdict: Verdict) => NextStep,
): NextStep => {
  if (gate?.kind === "stop") return STOP;
  if (gate?.kind === "end") return end(gate.verdict);
  if (gate?.kind === "wait") return waitFor(gate.ms, gate.event);
  return hasSlot ? { kind: "claim", supersedes, willCall } : { kind: "takeSlot", willCall };
};

const held = (facts: Facts, { claim, call, patienceMs }: JournalSays & { kind: "held" }): NextStep => {
  const { operation, gate, refusal } = facts;
  const { attemptId } = claim;
  const mayRepeat = operation === "CREATE_QUOTE" && refusal === null;
  switch (call) {
    case "notExecuted":
      return gate?.kind === "end" ? conclude(attemptId, gate.verdict) : { kind: "release", attemptId };
    case "mayBeExecuted":
      if (!mayRepeat) return conclude(attemptId, acceptOwnerLost);
      return claimOr(facts, { supersedes: attemptId, willCall: true }, (verdict) =>
        conclude(attemptId, verdict),
      );
    case "nothing":
      if (gate?.kind === "stop") return STOP;
      if (patienceMs > 0) return waitFor(patienceMs, "key", attemptId);
      if (mayRepeat) return { kind: "adopt", claim };
      return conclude(attemptId, operation === "ACCEPT_QUOTE" ? acceptOwnerLost : createOwnerLost, claim);
  }
};

const free = (facts: Facts, { name, isTaken }: JournalSays & { kind: "free" }): NextStep => {
  if (facts.gate?.kind === "stop") return STOP;
  if (name === "elsewhere") return { kind: "reused" };
  if (name === "perhapsElsewhere") return { kind: "readUp" };
  if (name === "locked") return waitFor(COMMAND_ID_POLL_MS, "commandId");
  const refuse = (verdict: Verdict): NextStep => ({ kind: "refuse", verdict });
  if (facts.refusal !== null) return refuse(facts.refusal);
  return claimOr(facts, { supersedes: null, willCall: !isTaken }, refuse);
};

const publish = (
  { gate }: Facts,
  { position, ...journal }: Extract<JournalSays, { position: RecordPosition }>,
): NextStep => {
  const isGone = journal.kind === "concluded" && journal.isGone;
  if (!isGone) return { kind: "publish", position };
  // The watch will have the view forget it: not here, after one failed read.
  return gate?.kind === "stop" ? STOP : waitFor(JOURNAL_POLL_MS, "key");
};

/** The one thing that a command does next. Pure and total. */
export const nextStep = (facts: Facts): NextStep => {
  const { journal, own, gate, verdict } = facts;
  // Evidence is written whatever the view shows: it may contradict what stands there.
  if (own.kind === "ended") return conclude(own.attemptId, own.verdict);
  if (gate?.kind === "stop" && own.kind === "notExecuted")
    return { kind: "release", attemptId: own.attemptId };
  switch (journal.kind) {
    case "unread":
      // What this replica has written must be published even while it stops.
      if (gate?.kind === "stop" && own.kind !== "concluded") return STOP;
      return waitFor(JOURNAL_POLL_MS, "ready");
    case "otherContent":
      return { kind: "reused" };
    case "free":
      return free(facts, journal);
    case "held":
      return held(facts, journal);
    case "doubt": {
      // Another replica took over. Only this one knows that its call was not executed.
      const { claim, call } = journal;
      return call === "notExecuted" ? conclude(claim.attemptId, verdict) : publish(facts, journal);
    }
    case "concluded":
      return publish(facts, journal);
  }
};
