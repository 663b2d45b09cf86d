import type { JournalOperation } from "../../records.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Verdict } from "../types.ts";
import type { Claim } from "./fold-rules.ts";
import type { ClosedGate } from "./gates.ts";
import type { Look } from "./partition-view.ts";
import type { CallKnowledge, OwnAttempt } from "./progress.ts";
import { acceptOwnerLost, createOwnerLost } from "./verdicts-without-answer.ts";

export type Facts = {
  operation: JournalOperation;
  /** Why an invalid command is not executed; null for a valid one. */
  refusal: Verdict | null;
  /** What the view says of the command, once it is complete. */
  look: Look | { kind: "unread" };
  /** What is known of the call of the claim that the view shows. */
  call: CallKnowledge;
  /** How much longer the owner of that claim may be at its call. */
  ownerLeftMs: number;
  /** Another command of this replica has the commandId, and no entry yet. */
  isLocked: boolean;
  /** The command's own partition was read up to now. */
  isReadUp: boolean;
  own: OwnAttempt;
  verdict: Verdict;
  gate: ClosedGate | null;
  hasSlot: boolean;
};

export type Waiting = Extract<ClosedGate, { kind: "wait" }>["event"];

export type NextStep =
  | { kind: "stop" }
  | { kind: "reused" }
  /** Reads the command's own partition up to now. */
  | { kind: "readUp" }
  | { kind: "refuse"; verdict: Verdict }
  | { kind: "conclude"; attemptId: string; verdict: Verdict }
  /** Concludes the attempt of another owner, who never did. */
  | { kind: "concludeLost"; claim: Claim; verdict: Verdict }
  | { kind: "release"; attemptId: string }
  | { kind: "adopt"; claim: Claim }
  | { kind: "takeSlot"; willCall: boolean }
  /** `willCall` false: the fold will refuse the claim, because the quote is taken. */
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
const conclude = (attemptId: string, verdict: Verdict): NextStep => ({
  kind: "conclude",
  attemptId,
  verdict,
});

/** A claim needs open gates and a slot. */
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

const held = (facts: Facts, claim: Claim): NextStep => {
  const { operation, gate, refusal, call, ownerLeftMs } = facts;
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
      if (ownerLeftMs > 0) return waitFor(ownerLeftMs, "time", attemptId);
      if (mayRepeat) return { kind: "adopt", claim };
      return {
        kind: "concludeLost",
        claim,
        verdict: operation === "ACCEPT_QUOTE" ? acceptOwnerLost : createOwnerLost,
      };
  }
};

const free = (facts: Facts, { isTaken, isNamedElsewhere }: Look & { kind: "free" }): NextStep => {
  const { gate, refusal, isReadUp, isLocked } = facts;
  if (gate?.kind === "stop") return STOP;
  if (isNamedElsewhere) return { kind: isReadUp ? "reused" : "readUp" };
  if (isLocked) return waitFor(COMMAND_ID_POLL_MS, "time");
  const refuse = (verdict: Verdict): NextStep => ({ kind: "refuse", verdict });
  if (refusal !== null) return refuse(refusal);
  return claimOr(facts, { supersedes: null, willCall: !isTaken }, refuse);
};

/** The one thing that a command does next. Pure and total. */
export const nextStep = (facts: Facts): NextStep => {
  const { look, own, gate, verdict } = facts;
  // Evidence is written whatever the view shows: it may contradict what stands there.
  if (own.kind === "ended") return conclude(own.attemptId, own.verdict);
  if (gate?.kind === "stop" && own.kind === "notExecuted")
    return { kind: "release", attemptId: own.attemptId };
  switch (look.kind) {
    case "unread":
      // What this replica has written must be published even while it stops.
      if (gate?.kind === "stop" && own.kind !== "concluded") return STOP;
      return waitFor(JOURNAL_POLL_MS, "ready");
    case "otherContent":
      return { kind: "reused" };
    case "free":
      return free(facts, look);
    case "held":
      return held(facts, look.claim);
    case "doubt":
      // Another replica took over. Only this one knows that its call was not executed.
      if (facts.call === "notExecuted") return conclude(look.claim.attemptId, verdict);
      return { kind: "publish", position: look.position };
    case "concluded":
      return { kind: "publish", position: look.position };
  }
};
