import { MAX_CREATES } from "../disposition.ts";
import type { Verdict } from "../types.ts";
import { activeMs, type AttemptProgress, type Job } from "./progress.ts";

/** What ends the wait at a closed gate. `time`, `pause`: only the clock. The deadline does not run during a `pause`. */
type GateEvent = "time" | "pause" | "ready" | "permit";

/** What a closed gate means: nothing more is begun, the command ends, or it waits, `ms` at most. */
export type ClosedGate =
  { kind: "stop" } | { kind: "end"; verdict: Verdict } | { kind: "wait"; ms: number; event: GateEvent };

export type GateName = keyof typeof gates;

/** `refusedClaim`: another command has the quote. `bytes`: the call, in the synchronous step that writes it. */
export type Beginning = "nothing" | "refusedClaim" | "claim" | "bytes";

type Gate = (job: Job, progress: AttemptProgress, beginning: Beginning) => ClosedGate | null;

/** How often a command checks whether the group's heartbeat is fresh again. */
const HEARTBEAT_POLL_MS = 1_000;
/** How often a command that has no deadline meanwhile looks whether it may go on, or has expired. */
const EXPIRY_POLL_MS = 2_000;

const waitFor = (ms: number, event: GateEvent): ClosedGate => ({ kind: "wait", ms, event });

const leftMs = (job: Job, progress: AttemptProgress): number =>
  job.deps.options.deadlineMs - activeMs(job, progress);

/** All that holds a command back, in the order in which it is asked. Null: the gate is open. */
const gates = {
  stopping: ({ signals }) => (signals.stop.aborted ? { kind: "stop" } : null),
  heartbeat: ({ deps }) => (deps.mayStart() ? null : waitFor(HEARTBEAT_POLL_MS, "time")),
  journal: ({ deps }) => (deps.view.ready() ? null : waitFor(EXPIRY_POLL_MS, "ready")),
  guard: ({ deps, prepared: { work } }, { lost }) => {
    const verdict = work.kind === "call" ? deps.guard(work.command, deps.clock.now()) : null;
    return verdict && { kind: "end", verdict: lost ?? verdict };
  },
  /** This gate stands before `deadline`, because a pause may last longer. `guard` still ends commands that are too old. */
  paused: ({ deps, prepared: { ref } }) =>
    ref.operation === "ACCEPT_QUOTE" && deps.acceptsPaused() ? waitFor(EXPIRY_POLL_MS, "pause") : null,
  /** A doubt is waited for like a pause, because people resolve it. */
  doubt: ({ pass }) => (pass.isHeldByDoubt() ? waitFor(EXPIRY_POLL_MS, "pause") : null),
  deadline: (job, progress) => {
    const { notBeforeMs, verdict, callsSent, lost } = progress;
    const isOver = Math.max(activeMs(job, progress), notBeforeMs) >= job.deps.options.deadlineMs;
    return isOver || (lost && callsSent >= MAX_CREATES) ? { kind: "end", verdict } : null;
  },
  breaker: (job, progress) => {
    const ms = job.pass.breakerLeftMs();
    return ms > 0 ? waitFor(Math.min(ms, leftMs(job, progress)), "time") : null;
  },
  rate: (job, progress, beginning) => {
    const restMs = progress.notBeforeMs - activeMs(job, progress);
    if (restMs > 0) return waitFor(restMs, "time");
    const isOpen = beginning === "bytes" ? job.pass.hasPermit() : job.pass.mayTakePermit();
    return isOpen ? null : waitFor(leftMs(job, progress), "permit");
  },
} as const satisfies Record<string, Gate>;

const GATES = Object.entries(gates) as [GateName, Gate][];
const CALL_GATES: readonly GateName[] = ["paused", "doubt", "breaker", "rate"];

const isAsked = (gate: GateName, beginning: Beginning): boolean =>
  beginning === "nothing" ? gate === "stopping" : beginning !== "refusedClaim" || !CALL_GATES.includes(gate);

/** The first gate that is closed; null if all are open. The one list for claims and for calls. */
export const closedGate = (job: Job, progress: AttemptProgress, beginning: Beginning): ClosedGate | null => {
  for (const [gate, ask] of GATES) {
    const closed = isAsked(gate, beginning) ? ask(job, progress, beginning) : null;
    if (closed) return closed;
  }
  return null;
};
