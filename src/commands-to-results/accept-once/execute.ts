import { startStopwatch } from "../../runtime/clock.ts";
import { createBreaker } from "./breaker.ts";
import { createCommandIdLocks } from "./command-id-locks.ts";
import { createDoubtHold } from "./doubt-hold.ts";
import type { Claim } from "./fold-rules.ts";
import { closedGate, type Beginning } from "./gates.ts";
import { nextStep, type Facts } from "./next-step.ts";
import { createPass } from "./pass.ts";
import { perform } from "./perform.ts";
import type { Deps, PreparedCommand, Settled, Slot, StopSignals } from "./ports.ts";
import { START, type AttemptProgress, type Job } from "./progress.ts";

/** A claim is as old as LogAppendTime or this replica's watch says: clock skew costs a doubt, never a second call. */
const ownerLeftMs = ({ deps }: Job, { watched }: AttemptProgress, claim: Claim): number => {
  const { clock, options } = deps;
  const watchedMs = watched?.attemptId === claim.attemptId ? watched.sinceMs() : 0;
  const ageMs = Math.max(clock.now() - claim.timestampMs, watchedMs);
  return claim.callWithinMs + options.takeoverMarginMs - ageMs;
};

/** What may begin next: for an invalid command, and for one that is in doubt or concluded, no claim and no call. */
const beginningOf = ({ prepared: { work } }: Job, look: Facts["look"]): Beginning => {
  if (work.kind === "refuse") return "nothing";
  if (look.kind === "held") return "claim";
  if (look.kind !== "free") return "nothing";
  return look.isTaken ? "refusedClaim" : "claim";
};

const factsOf = (job: Job, progress: AttemptProgress): Facts => {
  const { view } = job.deps;
  const { work, ref, requestHash } = job.prepared;
  const look: Facts["look"] = view.ready() ? view.look(ref, requestHash) : { kind: "unread" };
  const claim = "claim" in look ? look.claim : null;
  return {
    operation: ref.operation,
    refusal: work.kind === "refuse" ? work.verdict : null,
    look,
    call: (claim && progress.calls.get(claim.attemptId)) ?? "nothing",
    ownerLeftMs: claim ? ownerLeftMs(job, progress, claim) : 0,
    isLocked: !job.commandIds.isFree(job),
    isReadUp: progress.isReadUp,
    own: progress.own,
    verdict: progress.verdict,
    gate: closedGate(job, progress, beginningOf(job, look)),
    hasSlot: job.slot.isHeld(),
  };
};

const run = async (job: Job): Promise<Settled> => {
  let progress: AttemptProgress = START;
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
 * Sends an accept once at most, whatever happens to any process. Resolves when the result is durable (IN_DOUBT too), or
 * with `reused`: the caller writes a dead letter first. Rejects when stopped: then the offset must not be committed.
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
    const pass = createPass(deps.permit(), prepared.ref.operation === "ACCEPT_QUOTE" ? accepts : null);
    const ageAtStartMs = Math.max(clock.now() - prepared.receivedAt, 0);
    const sinceMs = startStopwatch(clock);
    const job: Job = {
      deps: deps.traced ? { ...deps, ...deps.traced(prepared.envelope) } : deps,
      prepared,
      signals,
      slot,
      pass,
      leavePlace: () => {
        pass.give("nothing");
        slot.leave();
      },
      commandIds,
      elapsedMs: () => ageAtStartMs + sinceMs(),
    };
    try {
      return await run(job);
    } finally {
      pass.give("nothing");
      commandIds.release(job);
    }
  };
};
