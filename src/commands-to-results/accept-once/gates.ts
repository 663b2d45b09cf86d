import type { JournalOperation } from "../../records.ts";
import { MAX_CREATES } from "../disposition.ts";
import type { Command, Verdict } from "../types.ts";
import type { Pass } from "./pass.ts";
import type { Deps } from "./ports.ts";

/** The event that ends the wait at a closed gate; `time` if only the clock does. */
type GateEvent = "time" | "ready" | "resumed" | "breaker" | "permit";

/** What a closed gate means: nothing more is begun, the command ends, or it waits, `ms` at most. */
type GateVerdict =
  { kind: "stop" } | { kind: "end"; verdict: Verdict } | { kind: "wait"; ms: number; event: GateEvent };

export type GateName = keyof typeof gates;
export type ClosedGate = GateVerdict & { gate: GateName };

/** What the gates look at besides the ports, and what does not change during an attempt. */
export type Standing = {
  operation: JournalOperation;
  command: Command;
  stop: AbortSignal;
  /** The partner is to be left alone until then. */
  notBeforeMs: number;
  /** Calls that were sent, by all replicas, as far as it is known. */
  calls: number;
  /** The verdict of a create of which a call may have been executed; null if none may. */
  lost: Verdict | null;
  /** The verdict when no time is left for another call. */
  verdict: Verdict;
  /** Since this replica took the command up, without the time for which people paused it. */
  elapsedMs: () => number;
  pass: Pass;
};

type GateQuestion = Standing & {
  /** Before the claim, or in the synchronous step that writes the bytes of the call. */
  place: "claim" | "bytes";
  /** False if the fold will refuse the claim, because another command has the quote. */
  willCall: boolean;
};

type GateDeps = Pick<Deps, "clock" | "view" | "guard" | "mayStart" | "acceptsPaused" | "options">;
type Gate = (asked: GateQuestion, deps: GateDeps) => GateVerdict | null;

/** How often a command checks whether the group's heartbeat is fresh again. */
const HEARTBEAT_POLL_MS = 1_000;
/** How often a command that has no deadline meanwhile looks whether it has expired. */
const EXPIRY_POLL_MS = 5_000;

const waitFor = (ms: number, event: GateEvent): GateVerdict => ({ kind: "wait", ms, event });

/** All that holds a command back, in the order in which it is asked. Null: the gate is open. */
const gates = {
  stopping: ({ stop }) => (stop.aborted ? { kind: "stop" } : null),
  heartbeat: (_, { mayStart }) => (mayStart() ? null : waitFor(HEARTBEAT_POLL_MS, "time")),
  journal: (_, { view }) => (view.ready() ? null : waitFor(EXPIRY_POLL_MS, "ready")),
  guard: ({ command, lost }, { guard, clock }) => {
    const verdict = guard(command, clock.now());
    return verdict && { kind: "end", verdict: lost ?? verdict };
  },
  /** Stands before `deadline`, because a pause may last longer. `guard` still ends commands that are too old. */
  paused: ({ operation }, { acceptsPaused }) =>
    operation === "ACCEPT_QUOTE" && acceptsPaused() ? waitFor(EXPIRY_POLL_MS, "resumed") : null,
  /** Is waited for like a pause, because people resolve the doubt. */
  doubt: ({ pass }) => (pass.isHeldByDoubt() ? waitFor(EXPIRY_POLL_MS, "resumed") : null),
  deadline: ({ elapsedMs, notBeforeMs, verdict, calls, lost }, { options }) => {
    const isOver = Math.max(elapsedMs(), notBeforeMs) >= options.deadlineMs;
    return isOver || (lost && calls >= MAX_CREATES) ? { kind: "end", verdict } : null;
  },
  breaker: ({ elapsedMs, pass }, { options }) => {
    const ms = pass.breakerLeftMs();
    return ms > 0 ? waitFor(Math.min(ms, options.deadlineMs - elapsedMs()), "breaker") : null;
  },
  rate: ({ place, elapsedMs, notBeforeMs, pass }, { options }) => {
    const restMs = notBeforeMs - elapsedMs();
    if (restMs > 0) return waitFor(restMs, "time");
    const isOpen = place === "claim" ? pass.mayTakePermit() : pass.hasPermit();
    return isOpen ? null : waitFor(options.deadlineMs - elapsedMs(), "permit");
  },
} as const satisfies Record<string, Gate>;

/** The gates of the call. A claim that the fold will refuse passes them, because no call follows it. */
const OF_CALLS: readonly string[] = ["paused", "doubt", "breaker", "rate"] satisfies GateName[];
const LIST = Object.entries(gates) as [GateName, Gate][];

/** The first gate that is closed; null if all are open. The one list for claims and for calls. */
export const closedGate = (asked: GateQuestion, deps: GateDeps): ClosedGate | null => {
  for (const [gate, ask] of LIST) {
    if (!asked.willCall && OF_CALLS.includes(gate)) continue;
    const closing = ask(asked, deps);
    if (closing) return { ...closing, gate };
  }
  return null;
};
