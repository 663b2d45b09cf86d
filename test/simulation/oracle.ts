import type { CommandResult } from "../../src/records.ts";
import { CALL_WITHIN_MS, TAKEOVER_MARGIN_MS } from "./scenario.ts";
import { nameOf } from "./scenario.ts";
import type { Scenario, SentCommand } from "./scenario.ts";
import type { World } from "./world.ts";

/** What a call to the partner says of itself. */
export type CallBody = { commandId: string; key: string; operation: "ACCEPT_QUOTE" | "CREATE_QUOTE" };

type Seen = {
  results: CommandResult[];
  doubt: string | null;
  final: { outcome: string; value: string } | null;
  /** The step of the latest. */
  at: number;
};
type Claim = { attemptId: string; commandId: string; owner: string };

/**
 * Watches the world outside the bridge (the partner's books, the results topic, the committed offsets, the written log) and says what must
 * never be. It knows nothing of the state of a replica.
 */
export type Oracle = ReturnType<typeof createOracle>;

export const createOracle = (world: World, scenario: Scenario) => {
  const executions = new Map<string, string[]>();
  const unproven = new Map<string, string>();
  const seen = new Map<string, Seen>();
  const deadLettered = new Set<SentCommand>();
  const claimedAtMs = new Map<string, number>();
  const mustBeFinal = new Set<string>();
  const startedAt = new Map<SentCommand, number>();
  const openClaims = new Map<string, Claim>();
  const struckCommands = new Set<string>();
  const troubledUntilMs = new Map<string, number>();
  const openCalls = new Map<string, number>();
  let violation: string | null = null;
  let lastEndMs = 0;

  const fail = (text: string): void => {
    world.note(() => `VIOLATION ${text}`);
    violation ??= text;
  };
  const seenOf = (name: string): Seen => {
    const found = seen.get(name) ?? { results: [], doubt: null, final: null, at: 0 };
    seen.set(name, found);
    return found;
  };
  const executedBy = (name: string): boolean =>
    [...executions].some(([key, ids]) => ids.some((commandId) => name === `${commandId} for ${key}`));
  const isAccept = (name: string): boolean =>
    scenario.commands.some((c) => nameOf(c) === name && !c.invalid && c.operation === "ACCEPT_QUOTE");
  /** The command that a result is of. The partner knows a quote in any case of its letters. */
  const nameOfResult = ({ commandId, quoteId }: CommandResult): string =>
    `${commandId} for ${quoteId?.toLowerCase() ?? commandId}`;
  /** Whether a record has come to its own answer: a command that is sent again is answered again. */
  const isDone = (command: SentCommand): boolean => {
    if (deadLettered.has(command)) return true;
    const at = startedAt.get(command);
    return at !== undefined && (seen.get(nameOf(command))?.at ?? -1) >= at;
  };
  const checkDoubt = (result: CommandResult, one: Seen, text: string): void => {
    const { commandId } = result;
    if (!isAccept(nameOfResult(result))) fail(`P5 ${commandId} is IN_DOUBT, and no accept`);
    if (one.doubt !== null && one.doubt !== text)
      fail(`P5 ${commandId} has two different doubts: ${one.doubt} and ${text}`);
    one.doubt ??= text;
    // Clocks that differ by more than the margin may cost a doubt.
    if (scenario.skewMs < TAKEOVER_MARGIN_MS && !struckCommands.has(commandId))
      fail(`${commandId} is IN_DOUBT, though nothing happened while a claim of it was open`);
  };
  const checkFalseNo = (name: string): void => {
    const final = seen.get(name)?.final;
    if (final && final.outcome !== "SUCCEEDED" && isAccept(name) && executedBy(name))
      fail(`P5 ${name} is ${final.outcome}, but the partner executed it`);
  };

  return {
    violation: (): string | null => violation,
    fail,

    /** The bytes of a call leave. */
    sent: ({ commandId, key, operation }: CallBody): void => {
      if (operation === "CREATE_QUOTE") return;
      const earlier = unproven.get(key);
      if (earlier !== undefined)
        fail(
          `P4 ${commandId} is sent for ${key}, although nothing proves that the call of ${earlier} was not executed`,
        );
      unproven.set(key, commandId);
    },
    /** An answer reached the bridge that proves that a call was not executed, or an operator said so truthfully. */
    proven: ({ key }: Pick<CallBody, "key">): void => {
      unproven.delete(key);
    },
    executed: ({ commandId, key, operation }: CallBody): void => {
      if (operation === "CREATE_QUOTE") return;
      const ids = [...(executions.get(key) ?? []), commandId];
      executions.set(key, ids);
      if (ids.length > 1) fail(`P4 ${key} is executed ${ids.length} times, by ${ids.join(", ")}`);
      checkFalseNo(`${commandId} for ${key}`);
    },
    executedBy,

    published: (result: CommandResult, value: Buffer): void => {
      const { commandId, outcome } = result;
      const name = nameOfResult(result);
      const one = seenOf(name);
      const text = value.toString();
      one.results.push(result);
      one.at = world.steps();
      if (!result.final) {
        checkDoubt(result, one, text);
        return;
      }
      if (one.final && one.final.value !== text)
        fail(`P5 ${commandId} has two different finals: ${one.final.value} and ${text}`);
      one.final ??= { outcome, value: text };
      if (outcome === "SUCCEEDED" && isAccept(name) && !executedBy(name))
        fail(`P5 ${commandId} is SUCCEEDED, but the partner never executed it`);
      checkFalseNo(name);
    },
    openDoubts: (): string[] =>
      [...seen].filter(([, { results, final }]) => results.length > 0 && !final).map(([name]) => name),

    reused: (command: SentCommand): void => {
      deadLettered.add(command);
      const others = scenario.commands.filter((c) => c.commandId === command.commandId);
      if (others.every((one) => one.content === command.content && nameOf(one) === nameOf(command)))
        fail(`${command.commandId} is called a reuse, but all of its records say the same`);
    },
    /** Somebody commits an offset: all before it must have been answered. */
    committed: (before: readonly SentCommand[]): void => {
      for (const command of before)
        if (!isDone(command))
          fail(`P6 the offset of ${command.commandId} is committed before its result is durable`);
    },
    started: (earlier: readonly SentCommand[], command: SentCommand): void => {
      if (!startedAt.has(command)) startedAt.set(command, world.steps());
      for (const other of earlier)
        if (other.kafkaKey === command.kafkaKey && !isDone(other))
          fail(
            `P7 ${command.commandId} is begun before ${other.commandId} of the same Kafka key is answered`,
          );
    },

    /** Somebody begins to append a claim. It is open until its end is in the log. */
    claiming: (claim: Claim): void => {
      openClaims.set(claim.attemptId, claim);
      if (world.nowMs() < (troubledUntilMs.get(claim.owner) ?? 0)) struckCommands.add(claim.commandId);
    },
    released: (attemptId: string): void => {
      openClaims.delete(attemptId);
    },
    /** Something happens to a process that may cost its open claims their end: and those that it makes in the next `forMs`. */
    struck: (owner: string, forMs = 0): void => {
      for (const claim of openClaims.values()) if (claim.owner === owner) struckCommands.add(claim.commandId);
      troubledUntilMs.set(owner, Math.max(troubledUntilMs.get(owner) ?? 0, world.nowMs() + forMs));
    },
    /** Something happens to an entry or a call of a claim. */
    claimStruck: (commandId: string): void => {
      struckCommands.add(commandId);
    },

    callBegins: (caller: string): void => {
      const count = (openCalls.get(caller) ?? 0) + 1;
      openCalls.set(caller, count);
      if (count > scenario.maxInFlight)
        fail(`${caller} has ${count} calls open, and may have ${scenario.maxInFlight}`);
    },
    callEnds: (caller: string): void => {
      openCalls.set(caller, (openCalls.get(caller) ?? 0) - 1);
    },

    /** A claim is in the log. */
    claimed: (attemptId: string): void => {
      if (!claimedAtMs.has(attemptId)) claimedAtMs.set(attemptId, world.nowMs());
    },
    /** An end is in the log. A final one of an attempt must reach the results topic in the end. */
    concluded: (
      name: string,
      end: { final: boolean; attemptId: string | null; ownerLost: boolean },
    ): void => {
      lastEndMs = world.nowMs();
      if (end.attemptId !== null) openClaims.delete(end.attemptId);
      if (end.final && end.attemptId !== null) mustBeFinal.add(name);
      const sinceClaimMs = world.nowMs() - (claimedAtMs.get(end.attemptId ?? "") ?? 0);
      if (end.ownerLost && scenario.skewMs === 0 && sinceClaimMs < CALL_WITHIN_MS)
        fail(`${name} is doubted ${sinceClaimMs} ms after a claim, whose owner may still be at its call`);
    },

    /** When the last end was written: somebody has yet to publish it. */
    lastEndMs: (): number => lastEndMs,

    /** Everything has come to rest. */
    atRest: (): void => {
      for (const command of scenario.commands)
        if (!isDone(command)) fail(`P5 ${command.commandId} was never answered`);
      const answered = [...startedAt.keys()].filter((command) => !deadLettered.has(command));
      for (const one of answered)
        if (answered.some((other) => nameOf(other) === nameOf(one) && other.content !== one.content))
          fail(`P5 ${nameOf(one)} is answered for two contents`);
      for (const { commandId } of deadLettered)
        if (![...seen.keys()].some((name) => name.startsWith(`${commandId} for `)))
          fail(`P5 ${commandId} is a dead letter each time: no command of it is answered`);
      for (const name of mustBeFinal)
        if (!seen.get(name)?.final) fail(`P5 the final result of ${name} was never published`);
    },
    outcomes: (): string[] => [...seen.values()].map(({ final }) => final?.outcome ?? "IN_DOUBT"),
  };
};
