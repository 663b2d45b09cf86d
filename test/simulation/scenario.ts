import { createRandom, type Random } from "./random.ts";

export const CALL_WITHIN_MS = 1_000;
export const TAKEOVER_MARGIN_MS = 200;
export const SESSION_TIMEOUT_MS = 2_000;
export const DEADLINE_MS = 8_000;
export const REPUBLISH_AFTER_MS = 3_000;
/** How old a claim must be for a "not executed": the larger of 20 calls and the floor, as build.ts scales it. */
export const OPERATOR_WAIT_MS = 45_000;

export const BREAKER_PAUSE_MS = 1_000;
/** How often a create is called at most, as build.ts scales it. */
export const MAX_CREATES = 4;

export type SentCommand = {
  commandId: string;
  operation: "ACCEPT_QUOTE" | "CREATE_QUOTE";
  /** What the partner identifies it by: the quoteId of an accept, the commandId of a create. */
  key: string;
  /** As written in this record, in upper or lower case. */
  quoteId: string;
  /** Stands for the other fields: the same commandId with other content is a mistake of the caller. */
  content: string;
  /** Whether it fails validation. */
  invalid: boolean;
  kafkaKey: string;
  partition: number;
  sentAtMs: number;
  expiresAtMs: number | null;
};

const RARE_CASES = [
  "late-answer",
  "late-answer",
  "late-call",
  "late-call",
  "late-rejection",
  "late-claim",
  "late-execution",
  "lowered-retention",
] as const;

/**
 * Combinations of events that rarely happen by chance.
 * - `late-answer`: the owner freezes at its call, wakes when another replica publishes the doubt, and soon dies
 * - `late-call`: the owner freezes right before its call, and wakes when an operator may have decided
 * - `late-claim`: a claim is appended late, its partition moves, and the commandId names another command by then
 * - `late-execution`: the partner executes a call after an operator's "not executed"; then a new command comes
 * - `lowered-retention`: the journal's retention is lowered, and entries deleted; then a new command comes
 * - `late-rejection`: two replicas have the same command when it expires, their clocks differ, and a rejection is appended late
 */
export type RareCase = (typeof RARE_CASES)[number];

/** What may go wrong in a schedule, and how often. Each chance is per occasion. */
export type Scenario = {
  replicas: number;
  journalPartitions: number;
  commandPartitions: number;
  commands: SentCommand[];
  /** How many commands a replica may have in flight, and how many calls open, at the same time. */
  maxInFlight: number;
  maxOpenCalls: number;
  maxCallsPerSecond: number | null;
  /** After so many calls in a row that say that the partner is ill, accepts pause. */
  breakerFailures: number;
  /** Whether no accept starts while one is in doubt. */
  pausesOnDoubt: boolean;
  /** No fault begins after this; those that have begun continue. */
  calmAtMs: number;
  crashes: number;
  freezes: number;
  rebalances: number;
  /** How often commands are paused and resumed. */
  pauses: number;
  /** How often accepts alone are. */
  acceptPauses: number;
  rareCase: RareCase | null;
  /** A journal partition that takes nothing until then, or the partner, which throttles the accepts that stand there. `alone`: nothing else goes wrong, and one command is in flight. */
  stall: { partition: number; untilMs: number; alone: boolean; place: "journal" | "partner" } | null;
  skewMs: number;
  chances: {
    ackLost: number;
    appendLate: number;
    appendFails: number;
    slow: number;
    tailGap: number;
    tailRepeats: number;
    tailReset: number;
    partnerTrouble: number;
    /** That a replica freezes at a port: between a check and the action that follows it. */
    freezeAtPort: number;
    /** That a gate closes between the claim and the bytes. */
    gateAtCall: number;
  };
  /** Until the calm the partner takes no accept, and says so: they are called until their deadline. */
  partnerIsBusy: boolean;
  operator: boolean;
  /** Which of a replica's clocks stands still during a freeze. Never both: then no process could notice. */
  clockThatStops: "wall" | "monotonic";
  /** Whether a replica notices that its group session has timed out. No promise may depend on it. */
  noticesSessionTimeout: boolean;
};

const chancesOf = (random: Random): Scenario["chances"] => {
  const sometimes = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  return {
    ackLost: sometimes(0.3),
    appendLate: sometimes(0.3),
    appendFails: sometimes(0.2),
    slow: sometimes(0.3),
    tailGap: sometimes(0.15),
    tailRepeats: sometimes(0.2),
    tailReset: sometimes(0.1),
    partnerTrouble: random.chance(0.8) ? random.next() : 0,
    freezeAtPort: random.chance(0.5) ? random.next() * 0.15 : 0,
    gateAtCall: 0,
  };
};

/** Equal for two records of one command, which must get the same answer. */
export const commandNameOf = ({ commandId, key, invalid }: SentCommand): string =>
  invalid ? `${commandId} for ${commandId}` : `${commandId} for ${key}`;

/** A command as most are. */
const command = (
  operation: SentCommand["operation"],
  commandId: string,
  key: string,
  more: Partial<SentCommand>,
): SentCommand => ({
  commandId,
  operation,
  key,
  quoteId: key,
  content: "same",
  invalid: false,
  kafkaKey: key,
  partition: 0,
  sentAtMs: 0,
  expiresAtMs: null,
  ...more,
});

const inAnyCase = (key: string, random: Random): string => (random.chance(0.3) ? key.toUpperCase() : key);

/** How a record with a known commandId differs from the earlier one: mostly not at all. */
const repetitionOf = (earlier: SentCommand, random: Random): Partial<SentCommand> => {
  const what = random.next();
  if (what < 0.2) return { content: "other" };
  if (what < 0.28) return { invalid: !earlier.invalid, content: earlier.invalid ? "same" : "broken" };
  if (what < 0.36) return { invalid: true, content: "again broken" };
  if (what > 0.5) return {};
  const key = random.pick(["quote-1", "quote-2", "quote-3"]);
  return { operation: "ACCEPT_QUOTE", key, quoteId: inAnyCase(key, random) };
};

const commandsOf = (random: Random, commandPartitions: number): SentCommand[] => {
  const quotes = random.pick([1, 1, 1, 2]);
  const commands: SentCommand[] = [];
  const count = random.int(1, 4);
  for (let i = 0; i < count; i++) {
    const sentAtMs = random.pick([0, 0, random.int(0, 3_000), random.int(0, 30_000)]);
    const earlier = commands.at(-1);
    if (earlier && random.chance(0.4)) {
      // The same commandId again, perhaps under another Kafka key, so that two replicas have it at the same
      // time.
      const partition = random.int(0, commandPartitions - 1);
      const kafkaKey = random.chance(0.5) ? earlier.kafkaKey : `k-${i}`;
      commands.push({
        ...earlier,
        ...repetitionOf(earlier, random),
        sentAtMs: Math.max(sentAtMs, earlier.sentAtMs),
        kafkaKey,
        partition: kafkaKey === earlier.kafkaKey ? earlier.partition : partition,
      });
      continue;
    }
    const create = random.chance(0.15);
    const commandId = `cmd-${i}`;
    const key = create ? commandId : `quote-${random.int(1, quotes)}`;
    const ownKey = random.chance(0.5);
    const operation = create ? "CREATE_QUOTE" : "ACCEPT_QUOTE";
    commands.push(
      command(operation, commandId, key, {
        quoteId: inAnyCase(key, random),
        invalid: random.chance(0.05),
        kafkaKey: ownKey ? commandId : key,
        partition: (ownKey ? i : key.charCodeAt(key.length - 1)) % commandPartitions,
        sentAtMs,
        expiresAtMs: random.chance(0.4) ? sentAtMs + random.int(0, 2_500) : null,
      }),
    );
  }
  return commands;
};

type FromAccept = (accept: SentCommand, random: Random) => SentCommand[];

/** The same accept under two Kafka keys, in two partitions, which expires soon. */
const inTwoPartitions: FromAccept = (accept, random) => {
  const one = { ...accept, partition: 0, expiresAtMs: accept.sentAtMs + random.int(-500, 500) };
  return [one, { ...one, partition: 1, kafkaKey: `${one.kafkaKey}-again` }];
};

/**
 * Two commands with one commandId in two partitions, for two quotes or for one with other content: whichever is
 * seen first, the other is a dead letter.
 */
const underOneId: FromAccept = (accept, random) => {
  const one = { ...accept, partition: 0, kafkaKey: "k-one" };
  const key = one.key === "quote-1" ? "quote-2" : "quote-1";
  const difference = random.chance(0.5) ? { content: "other" } : { key, quoteId: key };
  const other = { ...one, ...difference, partition: 1, kafkaKey: "k-other" };
  return [one, { ...other, sentAtMs: one.sentAtMs + random.int(0, 50) }];
};

/** An accept, and one of another command for its quote when an operator may have decided. */
const withLateSuccessor: FromAccept = (accept, random) => {
  const one = { ...accept, expiresAtMs: null };
  return [one, { ...one, commandId: "cmd-late", sentAtMs: one.sentAtMs + random.int(50_000, 120_000) }];
};

const withSuccessor: FromAccept = (accept, random) =>
  withLateSuccessor(accept, random).map((one) =>
    one.commandId === "cmd-late"
      ? { ...one, sentAtMs: Math.min(one.sentAtMs, 40_000) - random.int(0, 30_000) }
      : { ...one, sentAtMs: random.int(0, 2_000) },
  );

const COMMANDS_OF_RARE_CASES: Partial<Record<RareCase, FromAccept>> = {
  "late-rejection": inTwoPartitions,
  "late-claim": underOneId,
  "late-execution": withLateSuccessor,
  "lowered-retention": withSuccessor,
};

const commandsOfRareCase = (rareCase: RareCase, commands: SentCommand[], random: Random): SentCommand[] => {
  const accept = commands.find(({ operation, invalid }) => operation === "ACCEPT_QUOTE" && !invalid);
  return (accept && COMMANDS_OF_RARE_CASES[rareCase]?.(accept, random)) ?? commands;
};

const STALLED = 0;

/** Accepts for quotes of the stalled partition, and of the other one. */
const aroundStall = (random: Random): SentCommand[] =>
  ["quote-2", "quote-1", "quote-4", "quote-3", "quote-5"].map((key, i) =>
    command("ACCEPT_QUOTE", `cmd-${i}`, key, { sentAtMs: i * 1_000 + random.int(0, 1_000) }),
  );

/** In one schedule of ten a partition of the journal takes nothing for a while. */
const withStall = (scenario: Scenario, random: Random): Scenario => {
  if (!random.chance(0.1)) return scenario;
  const alone = random.chance(0.5);
  const stalled = {
    ...scenario,
    journalPartitions: 2,
    stall: { partition: STALLED, untilMs: random.int(10_000, 30_000), alone, place: "journal" as const },
  };
  if (!alone) return stalled;
  const commands = aroundStall(random);
  return {
    ...stalled,
    // An accept is called until its deadline: the others must be answered before that.
    stall: random.chance(0.5)
      ? stalled.stall
      : { ...stalled.stall, place: "partner", untilMs: DEADLINE_MS - 1_000 },
    commandPartitions: 1,
    commands,
    maxInFlight: 1,
    calmAtMs: 0,
    ...{ crashes: 0, freezes: 0, rebalances: 0, pauses: 0, rareCase: null, skewMs: 0, operator: false },
  };
};

/** Creates whose answers are lost, and which come to another replica meanwhile, or expire. */
const lostCreates = (random: Random): SentCommand[] =>
  Array.from({ length: random.int(1, 3) }, (_, i) => {
    const sentAtMs = random.int(0, 2_000);
    const commandId = `create-${i}`;
    const expiresAtMs = random.chance(0.7) ? sentAtMs + random.int(500, 6_000) : null;
    return command("CREATE_QUOTE", commandId, commandId, { sentAtMs, expiresAtMs });
  });

/** In one schedule of ten all commands are creates in trouble. */
const withCreates = (scenario: Scenario, random: Random): Scenario => {
  if (!random.chance(0.1) || scenario.stall !== null || scenario.rareCase !== null) return scenario;
  return {
    ...scenario,
    commands: lostCreates(random),
    commandPartitions: 1,
    calmAtMs: random.pick([3_000, 8_000, 20_000]),
    rebalances: random.int(1, 12),
    chances: { ...scenario.chances, partnerTrouble: 1 },
  };
};

/** Accepts that are called side by side, again and again. */
const busyAccepts = (random: Random): SentCommand[] =>
  ["quote-1", "quote-2", "quote-3"].map((key, i) =>
    command("ACCEPT_QUOTE", `busy-${i}`, key, { sentAtMs: random.pick([0, random.int(0, 2_000)]) }),
  );

/** Nobody may come to end the doubt: what waits for that expires. */
const pausingOnDoubt = (commands: readonly SentCommand[]) => ({
  pausesOnDoubt: true,
  commands: commands.map((one) => ({ ...one, expiresAtMs: one.expiresAtMs ?? one.sentAtMs + 60_000 })),
});

/** What holds calls back, and waits for it. */
const withGates = (scenario: Scenario, random: Random): Scenario => {
  if (scenario.stall?.alone === true || scenario.rareCase !== null || !random.chance(0.5)) return scenario;
  const gateAtCall = random.pick([0, 0.2, 0.5]);
  const isBusy = scenario.stall === null && random.chance(0.15);
  const busy = { commands: busyAccepts(random), commandPartitions: 1, partnerIsBusy: true, calmAtMs: 20_000 };
  return {
    ...scenario,
    ...(isBusy && busy),
    chances: { ...scenario.chances, gateAtCall, ...(isBusy && { partnerTrouble: 1 }) },
    acceptPauses: isBusy ? 0 : random.pick([0, 1, 3]),
    maxOpenCalls: random.pick([1, 1, 2, 64]),
    maxCallsPerSecond: random.pick([null, null, 1, 5]),
    breakerFailures: random.pick([1, 1, 2, 3]),
    ...(random.chance(0.3) && pausingOnDoubt(isBusy ? busy.commands : scenario.commands)),
  };
};

/** @param random the schedule's own; what is decided by another stream does not change the rest of a schedule */
export const scenarioOf = (seed: number, random = createRandom(seed)): Scenario => {
  const ofPauses = createRandom(-seed);
  const ofStalls = createRandom(2 ** 31 + seed);
  const ofGates = createRandom(2 ** 30 + seed);
  const faulty = random.chance(0.9);
  const story = faulty && random.chance(0.28) ? random.pick(RARE_CASES) : null;
  const commandPartitions = story === "late-rejection" || story === "late-claim" ? 2 : random.int(1, 2);
  const commands = commandsOf(random, commandPartitions);
  const chances = chancesOf(random);
  const scenario: Scenario = {
    replicas: random.int(2, 3),
    journalPartitions: story === "lowered-retention" ? 1 : random.int(1, 2),
    commandPartitions,
    commands: story ? commandsOfRareCase(story, commands, random) : commands,
    maxInFlight: random.pick([1, 2, 64, 64, 64]),
    ...{ maxOpenCalls: 64, maxCallsPerSecond: null, breakerFailures: 3, acceptPauses: 0 },
    pausesOnDoubt: false,
    calmAtMs: faulty ? (story ? 8_000 : random.pick([3_000, 8_000, 45_000])) : 0,
    crashes: faulty && story !== "lowered-retention" ? random.pick([0, 0, 1, 2]) : 0,
    freezes: faulty && story !== "lowered-retention" ? random.pick([0, 1, 2, 3]) : 0,
    rebalances: random.pick([0, 1, 2, 4]),
    pauses: story !== "lowered-retention" && ofPauses.chance(0.3) ? ofPauses.int(1, 4) : 0,
    rareCase: story,
    partnerIsBusy: false,
    stall: null,
    skewMs: story === "late-rejection" ? 1_500 : random.chance(0.4) ? random.pick([100, 1_500, 10_000]) : 0,
    chances: {
      ...chances,
      ...(story && story !== "late-rejection" && { slow: 0.5, partnerTrouble: 0 }),
      ...(story === "late-rejection" && { slow: 0, partnerTrouble: 1 }),
      ...(story === "lowered-retention" && { freezeAtPort: 0 }),
      ...(!faulty && { ackLost: 0, appendLate: 0, appendFails: 0, freezeAtPort: 0 }),
    },
    operator: story === "late-call" || story === "late-execution" || random.chance(0.6),
    clockThatStops: random.pick(["wall", "monotonic"]),
    noticesSessionTimeout: random.chance(0.5),
  };
  return withGates(withCreates(withStall(scenario, ofStalls), ofGates), ofGates);
};
