import type { Journal } from "../../src/commands-to-results/accept-once/ports.ts";
import type { CallBody } from "./oracle.ts";
import type { Replica, SimulationContext } from "./replica.ts";
import { commandOf } from "./replica.ts";
import { BREAKER_PAUSE_MS, DEADLINE_MS } from "./scenario.ts";
import { guard } from "./stubs.ts";

export type GateCheck = ReturnType<typeof createGateCheck>;

/** One command that a replica works on. */
type Run = { stop: AbortSignal; sinceMs: number };

const nameOf = ({ commandId, key }: { commandId: string; key: string }): string => `${commandId} for ${key}`;

/**
 * Checks by what the simulation itself knows that a replica neither claims nor calls what must wait. The gates of the
 * bridge are not asked.
 */
export const createGateCheck = ({ simulator, scenario, oracle }: SimulationContext, replica: Replica) => {
  const runs = new Map<string, Run[]>();
  const seen = new WeakSet<object>();
  let openSinceMs: number | null = null;

  /** Why this must wait; null if it need not. A command may be with a replica twice. */
  const closed = (body: CallBody, willCall: boolean): string | null => {
    const sent = scenario.commands.find((one) => nameOf(one) === nameOf(body) && !one.invalid);
    const own = runs.get(nameOf(body)) ?? [];
    const { deps, view } = replica;
    const isAccept = body.operation === "ACCEPT_QUOTE";
    if (own.length > 0 && own.every(({ stop }) => stop.aborted)) return "its partition is lost";
    if (!deps.mayStart()) return "its session may have ended";
    if (!view.ready()) return "its view is not complete";
    if (
      sent &&
      scenario.commands.every((one) => one.expiresAtMs === sent.expiresAtMs || nameOf(one) !== nameOf(sent))
    )
      if (guard(commandOf(sent), deps.clock.now()) !== null) return "it has expired";
    const isOver = ({ sinceMs }: Run): boolean => simulator.nowMs() - sinceMs >= DEADLINE_MS;
    const hasPauses = scenario.acceptPauses > 0 || scenario.pausesOnDoubt;
    if (!hasPauses && own.length > 0 && own.every(isOver)) return "its deadline is over";
    if (!isAccept || !willCall) return null;
    if (replica.acceptsArePaused) return "accepts are paused";
    if (scenario.pausesOnDoubt && replica.view.doubts().length > 0) return "an accept is in doubt";
    const forMs = simulator.nowMs() - (openSinceMs ?? -Infinity);
    return forMs < BREAKER_PAUSE_MS ? "the breaker is open" : null;
  };

  return {
    begins: (name: string, stop: AbortSignal): (() => void) => {
      const run = { stop, sinceMs: simulator.nowMs() };
      runs.set(name, [...(runs.get(name) ?? []), run]);
      return () =>
        void runs.set(
          name,
          (runs.get(name) ?? []).filter((one) => one !== run),
        );
    },
    /** Until the deadline of the command that it took up last. */
    deadlineLeftMs: (body: CallBody): number => {
      const sinceMs = Math.max(...(runs.get(nameOf(body)) ?? []).map((run) => run.sinceMs));
      return sinceMs + DEADLINE_MS - simulator.nowMs();
    },
    /** Whether the replica works on a command of this commandId. */
    hasRecord: (commandId: string): boolean =>
      [...runs].some(([name, own]) => name.startsWith(`${commandId} for `) && own.length > 0),
    breaker: (state: "open" | "closed"): void =>
      void (openSinceMs = state === "open" ? simulator.nowMs() : null),
    /** The journal of the replica, with a check of each claim. */
    ofClaims: (journal: Journal): Journal => ({
      ...journal,
      append: (ref, step) => {
        if (step.kind === "claimed" && !seen.has(step)) {
          seen.add(step);
          const look = replica.view.look(ref);
          const why = closed(ref, look.kind !== "free" || !look.isTaken);
          if (why !== null) oracle.fail(`P5 ${replica.name} claims ${nameOf(ref)}, though ${why}`);
        }
        return journal.append(ref, step);
      },
    }),
    /** The bytes of a call leave. */
    sends: (body: CallBody): void => {
      const why = closed(body, true);
      if (why !== null) oracle.fail(`P4 ${replica.name} sends ${nameOf(body)}, though ${why}`);
    },
  };
};
