import { createGroup } from "./group.ts";
import { createJournalLog } from "./journal-log.ts";
import { visit } from "./operator.ts";
import { createOracle } from "./oracle.ts";
import { createPartner } from "./partner.ts";
import { createPauses } from "./pauses.ts";
import { createRandom } from "./random.ts";
import type { Replica, Surroundings } from "./replica.ts";
import { createReplica, freeze } from "./replica.ts";
import type { Scenario } from "./scenario.ts";
import { CALL_WITHIN_MS, REPUBLISH_AFTER_MS, SESSION_TIMEOUT_MS, scenarioOf } from "./scenario.ts";
import type { Subject } from "./subject.ts";
import { createWorld } from "./world.ts";

export type Run = {
  seed: number;
  /** What must never be and was; null when all went well. */
  violation: string | null;
  steps: number;
  outcomes: string[];
  trace: string[];
  scenario: Scenario;
};

const BEAT_MS = 600;
const MOST_STEPS = 20_000;
const LONGEST_MS = 400_000;
/** After everything is answered and everybody is awake: long enough for whatever is left to be published by somebody. */
const REST_MS = REPUBLISH_AFTER_MS + 2_000 + 2_000;
const PAUSES_MS = [10, 100, 700, CALL_WITHIN_MS + 500, 12_000];
const FREEZES_MS = [30, 400, CALL_WITHIN_MS + 100, 3_000, 30_000];

const planFaults = (
  around: Surroundings,
  replicas: Replica[],
  group: ReturnType<typeof createGroup>,
): void => {
  const { world, scenario, oracle } = around;
  const pauses = createPauses(world, replicas, group.hold);
  const { random } = world;
  const { calmAtMs } = scenario;
  // Most of what matters happens soon after a command came.
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
    world.note(() => `${name} starts`);
    const replica = createReplica(around, name);
    replicas.push(replica);
    pauses.follow(replica);
  };
  const kill = (replica: Replica): void => {
    world.note(() => `${replica.name} is killed`);
    replica.stopped = true;
    oracle.struck(replica.name);
    replica.alive = false;
    world.after(random.int(100, 3_000), null, start);
  };
  let told = false;
  const tell = (replica: Replica, forMs: number): void => {
    told = true;
    freeze(around, replica, forMs);
  };
  around.callBegins = (replica) => {
    if (!told && scenario.story === "late-call") tell(replica, random.int(30_000, 60_000));
  };
  around.callLeft = (replica) => {
    if (told || scenario.story !== "late-answer") return;
    // Its heir is chosen when it has been silent for the time of a session, and publishes after a few steps, some of them slow.
    const forMs = SESSION_TIMEOUT_MS + random.int(-200, 2_000);
    tell(replica, forMs);
    world.after(forMs + random.int(5, 400), null, () => {
      if (replica.alive && !replica.stopped) kill(replica);
    });
  };
  for (let i = 0; i < scenario.freezes; i++)
    world.after(moment(), null, () => {
      const replica = victim();
      if (replica) freeze(around, replica, random.pick(FREEZES_MS) * (0.5 + random.next()));
    });
  for (let i = 0; i < scenario.crashes; i++)
    world.after(moment(), null, () => {
      const replica = victim();
      if (!replica) return;
      if (random.chance(0.6)) {
        kill(replica);
        return;
      }
      replica.stopped = true;
      world.after(random.int(100, 3_000), null, start);
      world.note(() => `${replica.name} drains`);
      group.drain(replica);
      world.after(random.int(0, 600), replica, () => {
        oracle.struck(replica.name);
        replica.cut.abort(new Error("the drain is over"));
      });
      world.after(random.int(600, 1_500), replica, () => {
        oracle.struck(replica.name);
        replica.abandon.abort(new Error("shut down"));
        replica.alive = false;
      });
    });
  for (let i = 0; i < scenario.rebalances; i++) world.after(moment(), null, () => group.rebalance());
  for (let i = 0; i < scenario.pauses; i++)
    world.after(moment(), null, () => pauses.pause(random.pick(PAUSES_MS) * random.next()));
};

/** Runs one schedule: the same seed, the same schedule. */
export const runSeed = async (seed: number, subject: Subject, tracing = false): Promise<Run> => {
  const random = createRandom(seed);
  const scenario = scenarioOf(random, createRandom(-seed));
  const world = createWorld(random, tracing);
  const oracle = createOracle(world, scenario);
  const log = createJournalLog(world, scenario, oracle);
  const partner = createPartner(world, scenario, oracle);
  const around: Surroundings = {
    world,
    scenario,
    oracle,
    log,
    partner,
    subject,
    callBegins: () => undefined,
    callLeft: () => undefined,
  };
  const replicas: Replica[] = [];
  const group = createGroup(around, () => replicas);
  for (let i = 0; i < scenario.replicas; i++) replicas.push(createReplica(around, `r${i + 1}`));
  const beat = (): void => {
    group.beat();
    world.after(BEAT_MS, null, beat);
  };
  beat();
  planFaults(around, replicas, group);
  let lastVisitMs = 0;
  if (scenario.operator) {
    // The first one comes in a hurry, while calls may still be under way.
    const earlyMs = random.pick(scenario.commands).sentAtMs + random.int(1_000, 5_000);
    for (const [i, atMs] of [earlyMs, random.int(20_000, 30_000), random.int(30_000, 60_000)].entries()) {
      lastVisitMs = Math.max(lastVisitMs, atMs);
      world.after(atMs, null, () => visit(around, `operator-${i + 1}`));
    }
  }

  // While anything is unanswered, frozen, or about to be decided by an operator, it is not at rest.
  const busyUntilMs = (): number => {
    if (!group.done()) return world.nowMs();
    const awakeMs = replicas.map(({ alive, frozenUntilMs }) => (alive ? frozenUntilMs : 0));
    return Math.max(
      scenario.calmAtMs,
      oracle.lastEndMs(),
      ...awakeMs,
      oracle.openDoubts().length > 0 ? lastVisitMs : 0,
    );
  };
  let restFromMs = 0;
  while (oracle.violation() === null) {
    if (!(await world.step())) break;
    if (world.nowMs() < restFromMs + REST_MS) continue;
    restFromMs = Math.max(restFromMs, busyUntilMs());
    if (world.nowMs() >= restFromMs + REST_MS) {
      oracle.atRest();
      break;
    }
    if (world.steps() > MOST_STEPS || world.nowMs() > LONGEST_MS) oracle.fail("P5 it never came to rest");
  }
  // Lets go of everything that still waits.
  for (const replica of replicas) replica.alive = false;
  return {
    seed,
    violation: oracle.violation(),
    steps: world.steps(),
    outcomes: oracle.outcomes(),
    trace: world.trace,
    scenario,
  };
};
