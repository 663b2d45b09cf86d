import type { CommandResult } from "../../src/records.ts";
import { CALL_WITHIN_MS, MAX_CREATES, OPERATOR_WAIT_MS, TAKEOVER_MARGIN_MS } from "./scenario.ts";
import { commandNameOf } from "./scenario.ts";
import type { Scenario, SentCommand } from "./scenario.ts";
import type { Simulator } from "./simulator.ts";

/** The body of a call to the partner. */
export type CallBody = { commandId: string; key: string; operation: "ACCEPT_QUOTE" | "CREATE_QUOTE" };

type Observed = {
  results: CommandResult[];
  doubt: string | null;
  final: { outcome: string; value: string } | null;
  /** The simulation step of the latest result. */
  at: number;
};
/** All replicas must have noticed a lowered retention by then. */
const NOTICED_WITHIN_MS = 3_000;

type Claim = { attemptId: string; commandId: string; owner: string };

/** While nothing else goes wrong. */
const ANSWERED_WITHIN_MS = 4_000;

/**
 * Checks the promises from outside the bridge: by the partner's executions, the results topic, the committed
 * offsets and the written journal. It knows nothing of the state of a replica.
 */
export type Oracle = ReturnType<typeof createOracle>;

export const createOracle = (simulator: Simulator, scenario: Scenario) => {
  const executions = new Map<string, string[]>();
  const unproven = new Map<string, string>();
  const denied = new Set<string>();
  /** Creates: calls that nothing proves to have done nothing, and all calls since the first of them. */
  const creates = new Map<string, { unproven: number; calls: number }>();
  /** By commandId, whatever the quote. */
  const finals = new Map<string, { name: string; text: string }>();
  let gaps = 0;
  let forgetfulSinceMs: number | null = null;
  const observed = new Map<string, Observed>();
  const deadLettered = new Set<SentCommand>();
  const claimedAtMs = new Map<string, number>();
  const mustBeFinal = new Set<string>();
  const startedAt = new Map<SentCommand, number>();
  const openClaims = new Map<string, Claim>();
  const disturbedCommands = new Set<string>();
  const disturbedUntilMs = new Map<string, number>();
  const openCalls = new Map<string, number>();
  let violation: string | null = null;
  let lastEndMs = 0;

  const fail = (text: string): void => {
    simulator.note(() => `VIOLATION ${text}`);
    violation ??= text;
  };
  const observedOf = (name: string): Observed => {
    const found = observed.get(name) ?? { results: [], doubt: null, final: null, at: 0 };
    observed.set(name, found);
    return found;
  };
  const executedBy = (name: string): boolean =>
    [...executions].some(([key, ids]) => ids.some((commandId) => name === `${commandId} for ${key}`));
  const isAccept = (name: string): boolean =>
    scenario.commands.some((c) => commandNameOf(c) === name && !c.invalid && c.operation === "ACCEPT_QUOTE");
  /** The command of a result. A quoteId is the same in upper and lower case. */
  const nameOfResult = ({ commandId, quoteId }: CommandResult): string =>
    `${commandId} for ${quoteId?.toLowerCase() ?? commandId}`;
  /** Whether a record has its own answer: a command that is sent again must be answered again. */
  const isDone = (command: SentCommand): boolean => {
    if (deadLettered.has(command)) return true;
    const at = startedAt.get(command);
    return at !== undefined && (observed.get(commandNameOf(command))?.at ?? -1) >= at;
  };
  const checkDoubt = (result: CommandResult, one: Observed, text: string): void => {
    const { commandId } = result;
    if (!isAccept(nameOfResult(result))) fail(`P5 ${commandId} is IN_DOUBT, and no accept`);
    if (one.doubt !== null && one.doubt !== text)
      fail(`P5 ${commandId} has two different doubts: ${one.doubt} and ${text}`);
    one.doubt ??= text;
    // Clocks that differ by more than the margin may cause a doubt.
    if (scenario.skewMs < TAKEOVER_MARGIN_MS && !disturbedCommands.has(commandId))
      fail(`${commandId} is IN_DOUBT, though nothing happened while a claim of it was open`);
  };
  const checkFalseRejection = (name: string): void => {
    const final = observed.get(name)?.final;
    if (final && final.outcome !== "SUCCEEDED" && isAccept(name) && executedBy(name))
      fail(`P5 ${name} is ${final.outcome}, but the partner executed it`);
  };

  return {
    violation: (): string | null => violation,
    fail,

    /** The bytes of a call leave the replica. */
    sent: ({ commandId, key, operation }: CallBody): void => {
      if (operation === "CREATE_QUOTE") {
        const { unproven: open, calls } = creates.get(commandId) ?? { unproven: 0, calls: 0 };
        const count = open > 0 ? calls + 1 : 1;
        creates.set(commandId, { unproven: open + 1, calls: count });
        if (count > MAX_CREATES) fail(`P5 ${commandId} is created by ${count} calls`);
        return;
      }
      if (denied.has(`${commandId} for ${key}`))
        fail(`P4 ${commandId} is sent for ${key} after an operator called it not executed`);
      const earlier = unproven.get(key);
      if (earlier !== undefined)
        fail(
          `P4 ${commandId} is sent for ${key}, although nothing proves that the call of ${earlier} was not executed`,
        );
      unproven.set(key, commandId);
    },
    /** An answer proves that a call was not executed, or an operator says so truthfully. */
    proven: ({ key }: Pick<CallBody, "key">): void => {
      unproven.delete(key);
      const create = creates.get(key);
      if (create) creates.set(key, { ...create, unproven: create.unproven - 1 });
    },
    executed: ({ commandId, key, operation }: CallBody): void => {
      if (operation === "CREATE_QUOTE") return;
      if (denied.has(`${commandId} for ${key}`)) {
        // The gap that no client can close: it was sent before, and the operator was mistaken.
        gaps += 1;
        return;
      }
      const ids = [...(executions.get(key) ?? []), commandId];
      executions.set(key, ids);
      if (ids.length > 1) fail(`P4 ${key} is executed ${ids.length} times, by ${ids.join(", ")}`);
      checkFalseRejection(`${commandId} for ${key}`);
    },
    executedBy,
    /** An operator's word that a call was not executed is in the log. */
    denied: (name: string, attemptId: string | null): void => {
      const ageMs = simulator.nowMs() - (claimedAtMs.get(attemptId ?? "") ?? 0);
      if (ageMs < OPERATOR_WAIT_MS) fail(`P4 ${name} is called not executed ${ageMs} ms after its claim`);
      denied.add(name);
    },
    /** Executions after such a word. */
    gaps: (): number => gaps,

    /** @param hasRecord whether the publisher was given the command */
    published: (result: CommandResult, value: Buffer, hasRecord: boolean): void => {
      const { commandId, outcome } = result;
      const name = nameOfResult(result);
      const one = observedOf(name);
      const text = value.toString();
      one.results.push(result);
      one.at = simulator.steps();
      if (!result.final) {
        checkDoubt(result, one, text);
        return;
      }
      if (one.final && one.final.value !== text)
        fail(`P5 ${commandId} has two different finals: ${one.final.value} and ${text}`);
      one.final ??= { outcome, value: text };
      const { code } = result.error ?? {};
      if (!isAccept(name) && (creates.get(commandId)?.unproven ?? 0) > 0 && code?.startsWith("COMMAND_"))
        fail(`P5 ${commandId} is ${code}, but a call of it may have been executed`);
      const first = finals.get(commandId);
      finals.set(commandId, first ?? { name, text });
      // This is right: two replicas began commands for two quotes in the same instant, before either could read the
      // other's claim. Both are executed once, and each sender must hear of its own. That nobody begins a command after
      // it read of the other is checked by command-id-check.ts, and a publisher without the record has no such excuse.
      if (first && first.text !== text && !hasRecord)
        fail(`P5 the commandId ${commandId} has two finals, of ${first.name} and ${name}`);
      if (outcome === "SUCCEEDED" && isAccept(name) && !executedBy(name))
        fail(`P5 ${commandId} is SUCCEEDED, but the partner never executed it`);
      checkFalseRejection(name);
    },
    openDoubts: (): string[] =>
      [...observed].filter(([, { results, final }]) => results.length > 0 && !final).map(([name]) => name),

    reused: (command: SentCommand): void => {
      deadLettered.add(command);
      const others = scenario.commands.filter((c) => c.commandId === command.commandId);
      if (
        others.every(
          (one) => one.content === command.content && commandNameOf(one) === commandNameOf(command),
        )
      )
        fail(`${command.commandId} is called a reuse, but all of its records say the same`);
    },
    /** An offset is committed: all records before it must have been answered. */
    committed: (before: readonly SentCommand[]): void => {
      for (const command of before)
        if (!isDone(command))
          fail(`P6 the offset of ${command.commandId} is committed before its result is durable`);
    },
    started: (earlier: readonly SentCommand[], command: SentCommand): void => {
      if (!startedAt.has(command)) startedAt.set(command, simulator.steps());
      for (const other of earlier)
        if (other.kafkaKey === command.kafkaKey && !isDone(other))
          fail(
            `P7 ${command.commandId} is begun before ${other.commandId} of the same Kafka key is answered`,
          );
    },

    /** A replica begins to append a claim, which is open until its conclusion or release is in the log. */
    claiming: (claim: Claim): void => {
      const forMs = simulator.nowMs() - (forgetfulSinceMs ?? simulator.nowMs());
      if (forMs > NOTICED_WITHIN_MS)
        fail(`P4 ${claim.commandId} is claimed ${forMs} ms after the journal's retention was lowered`);
      openClaims.set(claim.attemptId, claim);
      if (simulator.nowMs() < (disturbedUntilMs.get(claim.owner) ?? 0))
        disturbedCommands.add(claim.commandId);
    },
    released: (attemptId: string): void => {
      openClaims.delete(attemptId);
    },
    /**
     * A fault of a process, which may keep its open claims from being concluded, and those that it makes in
     * the next `forMs`.
     */
    disturbed: (owner: string, forMs = 0): void => {
      for (const claim of openClaims.values())
        if (claim.owner === owner) disturbedCommands.add(claim.commandId);
      disturbedUntilMs.set(owner, Math.max(disturbedUntilMs.get(owner) ?? 0, simulator.nowMs() + forMs));
    },
    /** A fault of an entry or a call of a claim. */
    claimDisturbed: (commandId: string): void => {
      disturbedCommands.add(commandId);
    },

    callBegins: (caller: string): void => {
      const count = (openCalls.get(caller) ?? 0) + 1;
      openCalls.set(caller, count);
      const most = Math.min(scenario.maxInFlight, scenario.maxOpenCalls);
      if (count > most) fail(`${caller} has ${count} calls open, and may have ${most}`);
    },
    callEnds: (caller: string): void => {
      openCalls.set(caller, (openCalls.get(caller) ?? 0) - 1);
    },

    /** A claim is in the log. */
    claimed: (attemptId: string): void => {
      lastEndMs = simulator.nowMs();
      if (!claimedAtMs.has(attemptId)) claimedAtMs.set(attemptId, simulator.nowMs());
    },
    /** A conclusion is in the log. The final one of an attempt must reach the results topic. */
    concluded: (
      name: string,
      end: { final: boolean; attemptId: string | null; ownerLost: boolean },
    ): void => {
      lastEndMs = simulator.nowMs();
      if (end.attemptId !== null) openClaims.delete(end.attemptId);
      if (end.final && end.attemptId !== null) mustBeFinal.add(name);
      const sinceClaimMs = simulator.nowMs() - (claimedAtMs.get(end.attemptId ?? "") ?? 0);
      if (end.ownerLost && scenario.skewMs === 0 && sinceClaimMs < CALL_WITHIN_MS)
        fail(`${name} is doubted ${sinceClaimMs} ms after a claim, whose owner may still be at its call`);
    },

    /** The journal's retention is lowered, or as it was. */
    forgetful: (yes: boolean): void => void (forgetfulSinceMs = yes ? simulator.nowMs() : null),

    /** When the last claim or conclusion was written, which some replica must end or publish. */
    lastEndMs: (): number => lastEndMs,

    /** Commands of a partition of the journal could not end for long: those of the others must not have waited. */
    othersAreAnswered: (isOther: (key: string) => boolean): void => {
      for (const command of scenario.commands)
        if (
          isOther(command.key) &&
          simulator.nowMs() - command.sentAtMs > ANSWERED_WITHIN_MS &&
          !isDone(command)
        )
          fail(`P7 ${command.commandId} waits for commands whose key is not its own`);
    },

    /** The schedule is over: everything must have been answered. */
    atRest: (): void => {
      for (const command of scenario.commands)
        if (!isDone(command)) fail(`P5 ${command.commandId} was never answered`);
      const answered = [...startedAt.keys()].filter((command) => !deadLettered.has(command));
      for (const one of answered)
        if (
          answered.some(
            (other) => commandNameOf(other) === commandNameOf(one) && other.content !== one.content,
          )
        )
          fail(`P5 ${commandNameOf(one)} is answered for two contents`);
      for (const { commandId } of deadLettered)
        if (![...observed.keys()].some((name) => name.startsWith(`${commandId} for `)))
          fail(`P5 ${commandId} is a dead letter each time: no command of it is answered`);
      // This is right: under one commandId the consumer keeps one final result. Where another command has
      // published it, the end of this one's doubt stands in the journal alone, and frees or spends the quote. The
      // record itself was answered all the same: that is checked above.
      const idOf = (name: string): string => name.slice(0, name.indexOf(" for "));
      for (const name of mustBeFinal)
        if (
          !observed.get(name)?.final &&
          ![...observed].some(([one, { final }]) => one !== name && idOf(one) === idOf(name) && final)
        )
          fail(`P5 the final result of ${name} was never published`);
    },
    outcomes: (): string[] => [...observed.values()].map(({ final }) => final?.outcome ?? "IN_DOUBT"),
  };
};
