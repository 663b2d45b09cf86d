import type { CommandResult } from "../../src/records.ts";
import { CALL_WITHIN_MS } from "./scenario.ts";
import type { Scenario, SentCommand } from "./scenario.ts";
import type { World } from "./world.ts";

/** What a call to the partner says of itself. */
export type CallBody = { commandId: string; key: string; operation: "ACCEPT_QUOTE" | "CREATE_QUOTE" };

type Seen = { results: CommandResult[]; final: { outcome: string; value: string } | null };

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
  let violation: string | null = null;
  let lastEndMs = 0;

  const fail = (text: string): void => {
    world.note(() => `VIOLATION ${text}`);
    violation ??= text;
  };
  const seenOf = (commandId: string): Seen => {
    const found = seen.get(commandId) ?? { results: [], final: null };
    seen.set(commandId, found);
    return found;
  };
  const executedBy = (commandId: string): boolean =>
    [...executions.values()].some((ids) => ids.includes(commandId));
  const isAccept = (commandId: string): boolean =>
    scenario.commands.some((c) => c.commandId === commandId && c.operation === "ACCEPT_QUOTE");
  const checkFalseNo = (commandId: string): void => {
    const final = seen.get(commandId)?.final;
    if (final && final.outcome !== "SUCCEEDED" && isAccept(commandId) && executedBy(commandId))
      fail(`P5 ${commandId} is ${final.outcome}, but the partner executed it`);
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
      checkFalseNo(commandId);
    },
    executedBy,

    published: (result: CommandResult, value: Buffer): void => {
      const { commandId, outcome } = result;
      const one = seenOf(commandId);
      one.results.push(result);
      if (!result.final) return;
      const text = value.toString();
      if (one.final && one.final.value !== text)
        fail(`P5 ${commandId} has two different finals: ${one.final.value} and ${text}`);
      one.final ??= { outcome, value: text };
      if (outcome === "SUCCEEDED" && isAccept(commandId) && !executedBy(commandId))
        fail(`P5 ${commandId} is SUCCEEDED, but the partner never executed it`);
      checkFalseNo(commandId);
    },
    openDoubts: (): string[] =>
      [...seen]
        .filter(([, { results, final }]) => results.length > 0 && !final)
        .map(([commandId]) => commandId),

    reused: (command: SentCommand): void => {
      deadLettered.add(command);
      const others = scenario.commands.filter((c) => c.commandId === command.commandId);
      if (others.every(({ content }) => content === command.content))
        fail(`${command.commandId} is called a reuse, but all of its records say the same`);
    },
    /** Somebody commits an offset: all before it must have been answered. */
    committed: (before: readonly SentCommand[]): void => {
      for (const command of before)
        if (!deadLettered.has(command) && !seen.has(command.commandId))
          fail(`P6 the offset of ${command.commandId} is committed before its result is durable`);
    },
    started: (earlier: readonly SentCommand[], command: SentCommand): void => {
      for (const other of earlier)
        if (other.kafkaKey === command.kafkaKey && !deadLettered.has(other) && !seen.has(other.commandId))
          fail(
            `P7 ${command.commandId} is begun before ${other.commandId} of the same Kafka key is answered`,
          );
    },

    /** A claim is in the log. */
    claimed: (attemptId: string): void => {
      if (!claimedAtMs.has(attemptId)) claimedAtMs.set(attemptId, world.nowMs());
    },
    /** An end is in the log. A final one of an attempt must reach the results topic in the end. */
    concluded: (
      commandId: string,
      end: { final: boolean; attemptId: string | null; ownerLost: boolean },
    ): void => {
      lastEndMs = world.nowMs();
      if (end.final && end.attemptId !== null) mustBeFinal.add(commandId);
      const sinceClaimMs = world.nowMs() - (claimedAtMs.get(end.attemptId ?? "") ?? 0);
      if (end.ownerLost && scenario.skewMs === 0 && sinceClaimMs < CALL_WITHIN_MS)
        fail(
          `${commandId} is doubted ${sinceClaimMs} ms after a claim, whose owner may still be at its call`,
        );
    },

    /** When the last end was written: somebody has yet to publish it. */
    lastEndMs: (): number => lastEndMs,

    /** Everything has come to rest. */
    atRest: (): void => {
      for (const command of scenario.commands)
        if (!deadLettered.has(command) && !seen.has(command.commandId))
          fail(`P5 ${command.commandId} was never answered`);
      for (const commandId of mustBeFinal)
        if (!seen.get(commandId)?.final) fail(`P5 the final result of ${commandId} was never published`);
    },
    outcomes: (): string[] => [...seen.values()].map(({ final }) => final?.outcome ?? "IN_DOUBT"),
  };
};
