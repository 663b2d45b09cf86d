import { createGroup } from "./group.ts";
import { createJournalLog } from "./journal-log.ts";
import { startOperator } from "./operator.ts";
import { createOracle } from "./oracle.ts";
import { createPartner } from "./partner.ts";
import { createPauses } from "./pauses.ts";
import { createRandom } from "./random.ts";
import type { Replica, SimulationContext } from "./replica.ts";
import { commandOf, createReplica, freeze } from "./replica.ts";
import type { Scenario } from "./scenario.ts";
import {
  CALL_WITHIN_MS,
  OPERATOR_WAIT_MS,
  REPUBLISH_AFTER_MS,
  SESSION_TIMEOUT_MS,
  TAKEOVER_MARGIN_MS,
  commandNameOf,
  scenarioOf,
} from "./scenario.ts";
import type { CodeUnderTest } from "./code-under-test.ts";
import { createSimulator } from "./simulator.ts";

export type ScheduleResult = {
  seed: number;
  /** The first broken promise; null when all were kept. */
  violation: string | null;
  steps: number;
  outcomes: string[];
  /** Executions that no client could prevent: after an operator's mistaken word. */
  gaps: number;
  trace: string[];
  scenario: Scenario;
};

const BEAT_MS = 600;
const MOST_STEPS = 20_000;
const LONGEST_MS = 400_000;
/** From the last activity to the end of a schedule: long enough for what replicas do beside their commands. */
const REST_MS = CALL_WITHIN_MS + TAKEOVER_MARGIN_MS + REPUBLISH_AFTER_MS + 2_000 + 2_000;
const PAUSES_MS = [10, 100, 700, CALL_WITHIN_MS + 500, 12_000];
const FREEZES_MS = [30, 400, CALL_WITHIN_MS + 100, 3_000, 30_000];

const lastSentMs = ({ commands }: Scenario): number => Math.max(...commands.map(({ sentAtMs }) => sentAtMs));

const planFaults = (
  context: SimulationContext,
  replicas: Replica[],
  group: ReturnType<typeof createGroup>,
): void => {
  const { simulator, scenario, oracle } = context;
  const pauses = createPauses(simulator, replicas, group.hold);
  const acceptPauses = createPauses(
    simulator,
    replicas,
    (replica, isHeld) => (replica.acceptsArePaused = isHeld),
  );
  const { random } = simulator;
  const { calmAtMs } = scenario;
  // Most faults that matter happen soon after a command was sent.
  const moment = (): number => {
    const command = random.pick(scenario.commands);
    return Math.min(command.sentAtMs + random.pick([50, 150, 400, 1_500, 6_000]) * random.next(), calmAtMs);
  };
  const victim = (): Replica | null => {
    const alive = replicas.filter((replica) => replica.alive && !replica.stopped);
    return alive.length > 0 ? random.pick(alive) : null;
  };
  const start = (): void => {
    const name = `r${replicas.length + 1}`;
    simulator.note(() => `${name} starts`);
    const replica = createReplica(context, name);
    replicas.push(replica);
    pauses.follow(replica);
    acceptPauses.follow(replica);
  };
  const kill = (replica: Replica): void => {
    simulator.note(() => `${replica.name} is killed`);
    replica.stopped = true;
    oracle.disturbed(replica.name);
    replica.alive = false;
    simulator.after(random.int(100, 3_000), null, start);
  };
  let hasFrozen = false;
  const freezeOnce = (replica: Replica, forMs: number): void => {
    hasFrozen = true;
    freeze(context, replica, forMs);
  };
  context.onCallBegins = (replica) => {
    if (!hasFrozen && scenario.rareCase === "late-call")
      freezeOnce(replica, random.int(OPERATOR_WAIT_MS, 2 * OPERATOR_WAIT_MS));
  };
  context.onCallLeft = (replica) => {
    if (hasFrozen || scenario.rareCase !== "late-answer") return;
    // The other replica takes over after the session timeout, and publishes after a few steps, some of them
    // slow.
    const forMs = SESSION_TIMEOUT_MS + random.int(-200, 2_000);
    freezeOnce(replica, forMs);
    simulator.after(forMs + random.int(5, 400), null, () => {
      if (replica.alive && !replica.stopped) kill(replica);
    });
  };
  for (let i = 0; i < scenario.freezes; i++)
    simulator.after(moment(), null, () => {
      const replica = victim();
      if (replica) freeze(context, replica, random.pick(FREEZES_MS) * (0.5 + random.next()));
    });
  for (let i = 0; i < scenario.crashes; i++)
    simulator.after(moment(), null, () => {
      const replica = victim();
      if (!replica) return;
      if (random.chance(0.6)) {
        kill(replica);
        return;
      }
      replica.stopped = true;
      simulator.after(random.int(100, 3_000), null, start);
      simulator.note(() => `${replica.name} drains`);
      group.drain(replica);
      simulator.after(random.int(0, 600), replica, () => {
        oracle.disturbed(replica.name);
        replica.cut.abort(new Error("the drain is over"));
      });
      simulator.after(random.int(600, 1_500), replica, () => {
        oracle.disturbed(replica.name);
        replica.abandon.abort(new Error("shut down"));
        replica.alive = false;
      });
    });
  if (scenario.rareCase === "late-claim") {
    const sentAtMs = scenario.commands[0]?.sentAtMs ?? 0;
    simulator.after(sentAtMs + random.int(50, 300), null, () => group.rebalance(0));
    simulator.after(sentAtMs + random.int(20, 200), null, () => group.rebalance(1));
  }
  context.onFit = (replica, isFit) => group.hold(replica, !isFit);
  if (scenario.rareCase === "lowered-retention") {
    const loweredMs = Math.max(lastSentMs(scenario) - random.int(500, 12_000), 3_000);
    const deletedMs = loweredMs + random.int(0, 4_000);
    simulator.after(loweredMs, null, () => context.log.setRetention(true));
    simulator.after(deletedMs, null, () => context.log.purge());
    simulator.after(deletedMs + random.int(0, 6_000), null, () => context.log.setRetention(false));
  }
  for (let i = 0; i < scenario.rebalances; i++) simulator.after(moment(), null, () => group.rebalance());
  for (let i = 0; i < scenario.pauses; i++)
    simulator.after(moment(), null, () => pauses.pause(random.pick(PAUSES_MS) * random.next()));
  for (let i = 0; i < scenario.acceptPauses; i++)
    simulator.after(moment(), null, () => acceptPauses.pause(random.pick(PAUSES_MS) * random.next()));
};

/** Runs one schedule: the same seed, the same schedule. */
export const runSeed = async (
  seed: number,
  code: CodeUnderTest,
  tracing = false,
): Promise<ScheduleResult> => {
  const random = createRandom(seed);
  const scenario = scenarioOf(seed, random);
  const simulator = createSimulator(random, tracing);
  const oracle = createOracle(simulator, scenario);
  const log = createJournalLog(simulator, scenario, oracle);
  const partner = createPartner(simulator, scenario, oracle, log.partitionOf);
  const context: SimulationContext = {
    simulator,
    scenario,
    oracle,
    log,
    partner,
    code,
    onCallBegins: () => undefined,
    onCallLeft: () => undefined,
    onFit: () => undefined,
  };
  const replicas: Replica[] = [];
  const group = createGroup(context, () => replicas);
  for (let i = 0; i < scenario.replicas; i++) replicas.push(createReplica(context, `r${i + 1}`));
  const heartbeat = (): void => {
    group.beat();
    simulator.after(BEAT_MS, null, heartbeat);
  };
  heartbeat();
  planFaults(context, replicas, group);
  const { stall } = scenario;
  if (stall?.alone === true)
    simulator.after(stall.untilMs - 1, null, () => {
      oracle.othersAreAnswered((key) => log.partitionOf(key) !== stall.partition);
    });
  let lastVisitMs = 0;
  if (scenario.operator) {
    // The first operator comes early, while calls may still be open.
    const earlyMs = random.pick(scenario.commands).sentAtMs + random.int(1_000, 5_000);
    const laterMs = [random.int(20_000, 30_000), random.int(OPERATOR_WAIT_MS, 2 * OPERATOR_WAIT_MS)];
    for (const [i, atMs] of [earlyMs, ...laterMs].entries()) {
      lastVisitMs = Math.max(lastVisitMs, atMs);
      simulator.after(atMs, null, () => startOperator(context, `operator-${i + 1}`));
    }
  }

  // The schedule is busy while a command is unanswered, a replica is frozen, or an operator will still
  // decide.
  const busyUntilMs = (): number => {
    if (!group.done()) return simulator.nowMs();
    const awakeMs = replicas.map(({ alive, frozenUntilMs }) => (alive ? frozenUntilMs : 0));
    return Math.max(
      scenario.calmAtMs,
      oracle.lastEndMs(),
      partner.busyUntilMs(),
      ...awakeMs,
      oracle.openDoubts().length > 0 ? lastVisitMs : 0,
    );
  };
  // Nobody answers after the journal has lost entries: a person must look first.
  const endsMs = scenario.rareCase === "lowered-retention" ? lastSentMs(scenario) + 15_000 : Infinity;
  let restFromMs = 0;
  while (oracle.violation() === null) {
    if (!(await simulator.step()) || simulator.nowMs() > endsMs) break;
    if (simulator.nowMs() < restFromMs + REST_MS) continue;
    restFromMs = Math.max(restFromMs, busyUntilMs());
    if (simulator.nowMs() >= restFromMs + REST_MS) {
      oracle.atRest();
      for (const { name, alive, view } of replicas)
        for (const command of scenario.commands)
          if (alive && view.ready() && !command.invalid && command.operation === "ACCEPT_QUOTE")
            if (view.look(code.journalRef(commandOf(command))).kind === "held")
              oracle.fail(`${name} sees ${commandNameOf(command)} hold its quote, and nobody will end that`);
      break;
    }
    if (simulator.steps() > MOST_STEPS || simulator.nowMs() > LONGEST_MS)
      oracle.fail("P5 it never came to rest");
  }
  // Drops all pending events of the replicas.
  for (const replica of replicas) replica.alive = false;
  return {
    seed,
    violation: oracle.violation(),
    steps: simulator.steps(),
    outcomes: oracle.outcomes(),
    gaps: oracle.gaps(),
    trace: simulator.trace,
    scenario,
  };
};
