import { startStopwatch } from "../../runtime/clock.ts";
import { createBreaker } from "./breaker.ts";
import { createCommandIdLocks } from "./command-id-locks.ts";
import { createDoubtHold } from "./doubt-hold.ts";
import { factsOf, type Running } from "./facts.ts";
import { nextStep } from "./next-step.ts";
import { createPass } from "./pass.ts";
import { perform } from "./perform.ts";
import type { Deps, PreparedCommand, Settled, Slot, StopSignals } from "./ports.ts";
import { START } from "./progress.ts";

/** The loop: look at the facts, decide, and do that one thing. */
const run = async (job: Running): Promise<Settled> => {
  let progress = START;
  for (;;) {
    job.signals.abandon.throwIfAborted();
    const step = nextStep(factsOf(job, progress));
    // A command that is not about to call must not keep its permit, or its place in the queue for one.
    const keepsPermit = step.kind === "wait" ? step.event === "permit" : "willCall" in step && step.willCall;
    if (!keepsPermit) job.pass.give("nothing");
    const next = await perform(job, { ...progress, isReadUp: false }, step);
    if ("settled" in next) return next.settled;
    progress = next;
  }
};

/**
 * Executes commands; an accept is sent once at most, whatever happens to this or another process. Resolves when the
 * result is durable (IN_DOUBT too) and the offset may be committed, or with `reused`: the caller writes a dead letter
 * first. Rejects when stopped or abandoned: the offset must not be committed, and the next replica finds in the journal
 * how far the command came.
 */
export const createExecute = (deps: Deps) => {
  const { clock, observer, options } = deps;
  const breaker = createBreaker({
    clock,
    failures: options.breakerFailures,
    pauseMs: options.breakerPauseMs,
    changed: observer.breaker,
  });
  const accepts = { breaker, doubtHold: createDoubtHold(deps.view, options.pauseOnDoubt) };
  const commandIds = createCommandIdLocks();
  return async (prepared: PreparedCommand, signals: StopSignals, slot: Slot): Promise<Settled> => {
    let hasSlot = true;
    const trackedSlot: Slot = {
      leave: () => {
        hasSlot = false;
        slot.leave();
      },
      take: async (signal) => {
        await slot.take(signal);
        hasSlot = true;
      },
    };
    const pass = createPass(deps.permit(), prepared.ref.operation === "ACCEPT_QUOTE" ? accepts : null);
    const retrying: Deps["observer"]["retrying"] = (what, error) => {
      // A partition that takes nothing may do so for hours.
      pass.give("nothing");
      trackedSlot.leave();
      observer.retrying(what, error);
    };
    const tracedDeps = { ...deps, ...deps.traced?.(prepared.envelope), observer: { ...observer, retrying } };
    const ageAtStartMs = Math.max(clock.now() - prepared.receivedAt, 0);
    const sinceMs = startStopwatch(clock);
    const elapsedMs = (): number => ageAtStartMs + sinceMs();
    const job = {
      deps: tracedDeps,
      prepared,
      signals,
      slot: trackedSlot,
      pass,
      commandIds,
      elapsedMs,
      hasSlot: () => hasSlot,
    };
    try {
      return await run(job);
    } finally {
      pass.give("nothing");
      commandIds.release(job);
    }
  };
};
