import { setMaxListeners } from "node:events";
import type { CommandResult } from "../../src/records.ts";
import { ownVerdict, type Command } from "../../src/commands-to-results/types.ts";
import type { Deps, PreparedCommand, Publish } from "../../src/commands-to-results/accept-once/ports.ts";
import type { View } from "../../src/commands-to-results/accept-once/view.ts";
import { codec, guard } from "./stubs.ts";
import type { KeyOrder } from "../../src/kafka/consume/key-order.ts";
import { createGateCheck, type GateCheck } from "./gate-check.ts";
import { EPOCH_MS, type Skew, createClock } from "./clock.ts";
import type { JournalLog } from "./journal-log.ts";
import type { CallBody, Oracle } from "./oracle.ts";
import type { createPartner } from "./partner.ts";
import type { Scenario, SentCommand } from "./scenario.ts";
import {
  BREAKER_PAUSE_MS,
  CALL_WITHIN_MS,
  DEADLINE_MS,
  REPUBLISH_AFTER_MS,
  SESSION_TIMEOUT_MS,
  TAKEOVER_MARGIN_MS,
} from "./scenario.ts";
import type { CodeUnderTest } from "./code-under-test.ts";
import { watchRetention } from "./retention.ts";
import type { SimulatedProcess, Simulator } from "./simulator.ts";

export type SimulationContext = {
  simulator: Simulator;
  scenario: Scenario;
  oracle: Oracle;
  log: JournalLog;
  partner: ReturnType<typeof createPartner>;
  code: CodeUnderTest;
  onCallBegins: (replica: Replica) => void;
  /** A replica noticed how the journal is kept. */
  onFit: (replica: Replica, isFit: boolean) => void;
  /** The bytes of a call have left the replica. */
  onCallLeft: (replica: Replica) => void;
};

/** A process that runs the bridge. */
export type Replica = SimulatedProcess & {
  skew: Skew;
  /** When it last reached the group, by its own clock. */
  lastHeartbeatMs: number;
  stopped: boolean;
  view: View;
  execute: ReturnType<CodeUnderTest["createExecute"]>;
  order: KeyOrder;
  deps: Deps;
  cut: AbortController;
  abandon: AbortController;
  acceptsArePaused: boolean;
  gateCheck: GateCheck;
};

export const commandOf = (sent: SentCommand): Command => ({
  commandId: sent.commandId,
  issuedAt: EPOCH_MS + sent.sentAtMs,
  expiresAt: sent.expiresAtMs === null ? null : EPOCH_MS + sent.expiresAtMs,
  request:
    sent.operation === "ACCEPT_QUOTE"
      ? { type: "AcceptQuote", quoteId: sent.quoteId, counterpartyId: "cp", amount: null, externalId: null }
      : {
          type: "CreateQuote",
          direction: "OUTBOUND",
          purpose: "COMEX",
          quotedAmount: "1",
          baseCurrencyIso: "USD",
          quotedCurrencyIso: "BRL",
        },
});

const invalid = ownVerdict("REJECTED", "INVALID_COMMAND", "broken");

export const itemOf = (sent: SentCommand, receivedAt: number, code: CodeUnderTest): PreparedCommand => {
  const { commandId, key, quoteId, operation, content } = sent;
  const body = JSON.stringify({ commandId, key, operation });
  const command = commandOf(sent);
  const isAccept = operation === "ACCEPT_QUOTE" && !sent.invalid;
  const method = operation === "ACCEPT_QUOTE" ? "PUT" : "POST";
  return {
    identity: {
      commandId,
      operation,
      quoteId: isAccept ? quoteId : null,
      externalId: null,
    },
    ref: sent.invalid ? code.refByCommandId(commandId) : code.journalRef(command),
    requestHash: Buffer.from(content).toString("hex"),
    work: sent.invalid
      ? { kind: "refuse", verdict: invalid }
      : { kind: "call", command, request: { operation, method, path: "/", body, ids: {} } },
    receivedAt,
    envelope: { traceparent: null, origin: null },
  };
};

/** Publishes to the results topic, with faults. */
export const publisherFor = (
  { simulator, log, oracle, scenario }: SimulationContext,
  process: SimulatedProcess,
  hasRecord: (result: CommandResult) => boolean = () => false,
): Publish => {
  const { chances } = scenario;
  return (result, value) =>
    new Promise<void>((resolve, reject) => {
      const isOwner = hasRecord(result);
      const arrive = () => {
        simulator.note(() => `results: ${process.name} ${result.commandId} ${result.outcome}`);
        oracle.published(result, value, isOwner);
      };
      const fails = log.faulty(chances.appendFails);
      if (fails) {
        if (simulator.random.chance(0.5)) simulator.after(simulator.random.int(0, 2_000), null, arrive);
        simulator.after(400, process, () => reject(new Error("publish failed")));
        return;
      }
      simulator.after(log.latencyMs(), null, () => {
        arrive();
        simulator.after(log.latencyMs(), process, resolve);
      });
    });
};

export const createReplica = (context: SimulationContext, name: string): Replica => {
  const { simulator, scenario, oracle, log, partner, code } = context;
  const { random } = simulator;
  const process: SimulatedProcess = { name, alive: true, frozenUntilMs: 0 };
  const skew: Skew = { wallMs: random.int(-scenario.skewMs, scenario.skewMs), monotonicLostMs: 0 };
  const clock = createClock(simulator, process, skew);
  const view = code.createView({
    partitions: scenario.journalPartitions,
    partitionOf: log.partitionOf,
    // A create may be called twice, and the answers may differ.
    contradicted: ({ ref }) => {
      if (ref.operation === "ACCEPT_QUOTE")
        oracle.fail(`${ref.commandId} is contradicted, though nobody lied`);
    },
  });
  let ids = 0;
  const atPort = (times: number) => (): void => {
    if (!log.faulty(scenario.chances.freezeAtPort * times)) return;
    freeze(context, replica, random.pick([400, 1_100, 45_000, 45_000]));
  };
  /** Closes a gate right before the bytes of a call would leave. */
  const closeGate = (body: CallBody): void => {
    if (!log.faulty(scenario.chances.gateAtCall)) return;
    const gate = random.pick(["heartbeat", "journal", "deadline"]);
    simulator.note(() => `${name}: closes ${gate}`);
    // Its heartbeats were lost until now.
    if (gate === "heartbeat") replica.lastHeartbeatMs = clock.now() - SESSION_TIMEOUT_MS;
    const others = Array.from({ length: scenario.journalPartitions }, (_, i) => i).filter(
      (partition) => partition !== log.partitionOf(body.key),
    );
    if (gate === "journal") others.forEach(readAnew);
    const leftMs = replica.gateCheck.deadlineLeftMs(body);
    if (gate === "deadline" && leftMs > 0 && leftMs < CALL_WITHIN_MS / 2)
      freeze(context, replica, leftMs + 1);
  };
  const atCall = (body: CallBody): void => {
    context.onCallBegins(replica);
    closeGate(body);
    atPort(4)();
  };
  const replica: Replica = Object.assign(process, {
    skew,
    lastHeartbeatMs: clock.now(),
    stopped: false,
    view,
    order: code.keyOrder(scenario.maxInFlight),
    cut: new AbortController(),
    abandon: new AbortController(),
    acceptsArePaused: false,
  }) as Replica;
  replica.gateCheck = createGateCheck(context, replica);
  const limiter = code.createCallLimiter({
    clock,
    maxConnections: scenario.maxOpenCalls,
    maxRequestsPerSecond: scenario.maxCallsPerSecond ?? undefined,
  });
  limiter.shareRate(() => 1);
  replica.deps = {
    clock,
    view,
    journal: replica.gateCheck.ofClaims(log.journalFor(process, atPort(1))),
    permit: limiter.permit,
    call: partner.callFor(process, atCall, (body) => {
      replica.gateCheck.sends(body);
      context.onCallLeft(replica);
    }),
    publish: publisherFor(context, process, ({ commandId }) => replica.gateCheck.hasRecord(commandId)),
    codec,
    contradiction: () => Promise.resolve(),
    guard,
    acceptsPaused: () => replica.acceptsArePaused,
    mayStart: () =>
      !scenario.noticesSessionTimeout || clock.now() - replica.lastHeartbeatMs < SESSION_TIMEOUT_MS,
    random: () => random.next(),
    newId: () => `${name}.${++ids}`,
    observer: {
      takeover: () => undefined,
      breaker: (state) => replica.gateCheck.breaker(state),
      retrying: () => undefined,
    },
    options: {
      callWithinMs: CALL_WITHIN_MS,
      beginWithinMs: CALL_WITHIN_MS / 2,
      takeoverMarginMs: TAKEOVER_MARGIN_MS,
      deadlineMs: DEADLINE_MS,
      pauseOnDoubt: scenario.pausesOnDoubt,
      breakerFailures: scenario.breakerFailures,
      breakerPauseMs: BREAKER_PAUSE_MS,
      backoff: { baseMs: 50, maxMs: 500 },
    },
  };
  // Every command in flight adds a listener to these.
  setMaxListeners(0, replica.cut.signal, replica.abandon.signal);
  replica.execute = code.createExecute(replica.deps);
  const watch =
    scenario.rareCase === "lowered-retention"
      ? watchRetention(code, {
          clock,
          view,
          topic: log.topic,
          fits: (isFit) => context.onFit(replica, isFit),
        })
      : null;
  const readAnew = log.tail(process, view, watch);
  const { deps } = replica;
  const always = { afterMs: REPUBLISH_AFTER_MS, everyMs: 2_000, signal: replica.abandon.signal };
  code.endLeftovers({ ...deps, publish: publisherFor(context, process) }, always).catch(() => undefined);
  return replica;
};

/**
 * Stops a process for a while. One of its clocks may stand still meanwhile, as in a paused virtual machine.
 */
export const freeze = (
  { simulator, scenario, oracle }: SimulationContext,
  replica: Replica,
  forMs: number,
): void => {
  simulator.note(() => `${replica.name} freezes for ${forMs} ms`);
  oracle.disturbed(replica.name, forMs);
  replica.frozenUntilMs = Math.max(replica.frozenUntilMs, simulator.nowMs() + forMs);
  if (scenario.rareCase !== "late-call" && simulator.random.chance(0.5)) return;
  if (scenario.clockThatStops === "wall") replica.skew.wallMs -= forMs;
  else replica.skew.monotonicLostMs += forMs;
};
