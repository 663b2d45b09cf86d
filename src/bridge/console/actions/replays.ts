import { randomUUID } from "node:crypto";
import type { Config } from "../../../config/config.ts";
import type { Actions, ReplayRun } from "../../../console/ports.ts";
import type { Actor } from "../../../operator/action.ts";
import { requireOperator } from "../../../operator/forbidden.ts";
import type { Plan } from "../../../operator/replay/plan.ts";
import { UsageError } from "../../../runtime/errors.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Services } from "../../services.ts";
import { replayLetters } from "../../operator/replay.ts";
import { explainOutage } from "../../outage.ts";
import { createPlanStore, lettersOf, MAX_LETTERS } from "./kept-plans.ts";
import { startReplayRun, type Run } from "./replay-run.ts";

/** Plans, and runs: each reads the dead letters or sends some. */
const MAX_AT_ONCE = 2;
const MAX_RUNS = 50;
/** The default of the command line. */
const RATE_PER_SECOND = 50;
const PLAN_TIMEOUT_MS = 120_000;
/**
 * Waits for letters that are on their way. What is claimed and not concluded then is looked up by the next
 * replay.
 */
const STOP_TIMEOUT_MS = 15_000;

type Replays = Pick<Actions, "plan" | "replay" | "run" | "cancel"> & { close: () => Promise<void> };

/** Plans and replays of dead letters. A replay goes on when its page is closed. */
export const openReplays = (
  config: Config,
  services: Services,
  warn: (sentence: string) => void,
): Replays => {
  const { clock } = services;
  const plans = createPlanStore(clock.monotonic);
  const runs = new Map<string, Run>();
  /** The run of each plan, so that a plan is run once. */
  const runOf = new Map<string, string>();
  const closed = new AbortController();
  let planning = 0;

  const underWay = (): Run[] => [...runs.values()].filter((run) => isUnderWay(run));
  const atMost = (count: number, what: string): void => {
    closed.signal.throwIfAborted();
    if (count >= MAX_AT_ONCE)
      throw new UsageError(`${count} ${what} are under way: wait until one of them has ended.`);
  };
  const forgetOld = (): void => {
    for (const [id, run] of runs) if (runs.size > MAX_RUNS && !isUnderWay(run)) runs.delete(id);
    for (const [planId, runId] of runOf) if (!runs.has(runId)) runOf.delete(planId);
  };

  const begin = (actor: Actor, planId: string): ReplayRun => {
    requireOperator(actor);
    const { places, again } = plans.find(actor, planId);
    const known = runs.get(runOf.get(planId) ?? "");
    if (known) return known.snapshot();
    if (places.length === 0) throw new UsageError("Nothing of this plan is to be sent.");
    atMost(underWay().length, "replays");
    const runId = randomUUID();
    const request = { letters: { refs: places }, again, ratePerSecond: RATE_PER_SECOND, actor };
    const run = startReplayRun(
      { runId, by: actor.by, startedAtMs: clock.now(), total: places.length },
      (hooks, signal) =>
        explainOutage(config, replayLetters(config, services, request, hooks, signal), signal),
      warn,
    );
    runs.set(runId, run);
    runOf.set(planId, runId);
    forgetOld();
    return run.snapshot();
  };

  return {
    plan: async (actor, selection, again) => {
      requireOperator(actor);
      const letters = lettersOf(selection);
      atMost(planning, "plans");
      planning += 1;
      const found: { plan: Plan; unknown: readonly RecordPosition[] }[] = [];
      const limits = { ratePerSecond: RATE_PER_SECOND, maxLetters: MAX_LETTERS };
      const request = { letters, again, ...limits, actor: null };
      const hooks = {
        planned: (plan: Plan, unknown: readonly RecordPosition[]) => void found.push({ plan, unknown }),
        ended: () => undefined,
        warn,
      };
      try {
        const planned = clock.withDeadline(PLAN_TIMEOUT_MS, closed.signal, (signal) =>
          replayLetters(config, services, request, hooks, signal),
        );
        await explainOutage(config, planned);
      } finally {
        planning -= 1;
      }
      const [made] = found;
      if (!made) throw new Error("no plan was made");
      return plans.keep(actor, made.plan, made.unknown, again);
    },

    // `begin` is synchronous, so that two requests cannot both start the plan.
    replay: (actor, planId) => new Promise((resolve) => resolve(begin(actor, planId))),

    run: (runId) => runs.get(runId)?.snapshot() ?? null,

    cancel: (actor, runId) => {
      requireOperator(actor);
      const run = runs.get(runId);
      run?.cancel(`cancelled by ${actor.by}`);
      return run?.snapshot() ?? null;
    },

    close: async () => {
      closed.abort(new UsageError("The console is ending."));
      const ending = underWay();
      for (const run of ending) run.cancel("the console was ended");
      const over = Promise.all(ending.map((run) => run.over));
      await clock.within(STOP_TIMEOUT_MS, undefined, over).catch(() => undefined);
    },
  };
};

const isUnderWay = (run: Run): boolean => ["running", "cancelling"].includes(run.snapshot().state);
