import type { AddressInfo } from "node:net";
import type { Config } from "../config/config.ts";
import { readinessOf, type Component } from "../ops/health.ts";
import { createManagementServer } from "../ops/management.ts";
import { createMetrics, type CommandNumbers } from "../ops/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { openCommands, type CommandPart } from "./commands.ts";
import { openDeadLetters } from "./dead-letters.ts";
import { openEvents } from "./events.ts";
import { openControl, type Control } from "./operator/control.ts";
import { createKit } from "./kit.ts";
import { closeServer, listen } from "./listen.ts";
import { openPartner } from "./partner.ts";
import { openTraces } from "./traces/open.ts";
import type { Part } from "./part.ts";
import { PAUSABLE } from "../operator/control-entry.ts";
import { openReconcile, type ReconcilePart } from "./reconcile.ts";
import { lookAround } from "./start.ts";
import { timedKit } from "./timed-kit.ts";
import { webhookFlow, webhookServer } from "./webhooks.ts";

/** A running bridge. */
export type Bridge = {
  addresses: { webhooks: AddressInfo | null; management: AddressInfo };
  /** Takes nothing new, finishes what is under way, leaves the group, closes: within SHUTDOWN_TIMEOUT, whatever does not answer. */
  stop(): Promise<void>;
};

/** Kept back of SHUTDOWN_TIMEOUT: for closing connections after the drain, and of that for the last log lines. */
const CLOSE_MS = 2_000;
const LAST_LINES_MS = 500;
/** No step of the start takes so long: each has closer bounds of its own. */
const START_STEP_MS = 600_000;
/** What is arriving when the end begins has so long, and then the time that publishing takes. Connections that say nothing end with it. */
const ARRIVE_MS = 1_000;

const NOT_RUNNING = { up: false, required: true };
const NO_COMMANDS: CommandNumbers = { unfinished: 0, inFlight: 0, doubts: 0, oldestDoubtSeconds: 0 };

const merged = <T>(records: readonly Record<string, T>[]): Record<string, T> =>
  Object.fromEntries(records.flatMap((record) => Object.entries(record)));

/**
 * Builds everything there is and runs it: the one place where parts meet. Resolves when the flows run; until then webhooks are answered
 * 503 and the process is not ready. Rejects with a UsageError when something is missing that a person must see to.
 */
export const startBridge = async (
  config: Config,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<Bridge> => {
  const runs = (flow: Config["bridge"]["flows"][number]): boolean => config.bridge.flows.includes(flow);
  let control: Control | null = null;
  let deadLetterPart: Part | null = null;
  let eventsPart: Part | null = null;
  let commandPart: CommandPart | null = null;
  let reconcilePart: ReconcilePart | null = null;
  const parts = (): Part[] =>
    [control, deadLetterPart, eventsPart, commandPart, reconcilePart].filter((part) => part !== null);
  let state: "starting" | "running" | "stopping" = "starting";
  let waitingFor = "starting";

  const components = (): Record<string, Component> => ({
    ...(state === "starting" && { start: { ...NOT_RUNNING, detail: waitingFor } }),
    ...(state === "stopping" && { stop: { ...NOT_RUNNING, detail: "shutting down" } }),
    ...merged(parts().map((part) => part.components())),
  });
  const metrics = createMetrics({
    publisherWaiting: () => merged(parts().map((part) => part.waiting())),
    kafkaUp: () => Object.fromEntries(Object.entries(components()).map(([name, { up }]) => [name, up])),
    commands: () => commandPart?.numbers() ?? NO_COMMANDS,
    commandsLag: () => commandPart?.lag() ?? new Map(),
    paused: () => control?.paused() ?? {},
    reconcileLeader: runs("reconcile") ? () => reconcilePart?.isLeader() ?? false : null,
  });

  const traces = await openTraces(config, { metrics, clock, log });
  const kit = { ...createKit(config, clock, log), traces };

  const readiness = () => readinessOf(components());
  const management = createManagementServer({ readiness, registry: metrics.registry });
  const webhooks = runs("webhooks")
    ? webhookServer(config, { kit, metrics, isOpen: () => state === "running" })
    : null;

  // One for both flows: its limits hold for all calls together.
  const partner = runs("commands") || runs("reconcile") ? openPartner(config, kit) : null;

  /** What was still arriving is published. */
  const drainWebhooks = async (ms: number): Promise<void> => {
    if (webhooks)
      await closeServer(webhooks.server, Math.min(ms, config.webhook.publishTimeoutMs + ARRIVE_MS));
  };
  const close = async (): Promise<void> => {
    await Promise.all([
      closeServer(management, 0),
      partner?.close(),
      traces?.close(),
      ...parts().map((part) => part.close()),
    ]);
  };

  const stop = async (): Promise<void> => {
    if (state === "stopping") return;
    const hadStarted = state === "running";
    state = "stopping";
    const closeMs = Math.min(CLOSE_MS, config.bridge.shutdownTimeoutMs / 2);
    const drainMs = config.bridge.shutdownTimeoutMs - closeMs;
    if (hadStarted) log.info({ withinMs: drainMs }, "bridge.stopping");
    const reconcileStops = clock.within(drainMs, undefined, Promise.resolve(reconcilePart?.stop()));
    await Promise.all([
      drainWebhooks(drainMs),
      commandPart?.drain(drainMs),
      reconcileStops.catch(() => undefined),
    ]);
    // A Kafka that is gone lets nothing be closed. All is safe by now, and ends with the process.
    await clock.within(Math.max(0, closeMs - LAST_LINES_MS), undefined, close()).catch(() => undefined);
    kit.close();
    if (hadStarted) log.info({}, "bridge.stopped");
  };

  /** Rejects when the process is asked to end meanwhile. */
  const orStopped = <T>(step: Promise<T>): Promise<T> => clock.within(START_STEP_MS, signal, step);

  try {
    const { management: at, webhook } = config;
    const addresses = {
      management: await listen(management, at.host, at.port, "MANAGEMENT_PORT"),
      webhooks: webhooks && (await listen(webhooks.server, webhook.host, webhook.port, "WEBHOOK_PORT")),
    };
    const { schemaIds } = await orStopped(lookAround(config, kit, signal, (reason) => (waitingFor = reason)));
    const idOf = (record: Parameters<typeof schemaIds.get>[0]): number => schemaIds.get(record) ?? 0;
    const timed = timedKit(kit, metrics);
    const deadLetters = openDeadLetters(config, timed, metrics);
    deadLetterPart = deadLetters;
    const schemaId = idOf("transaction-status-updated");
    const events =
      webhooks || runs("reconcile")
        ? await orStopped(
            openEvents(config, { kit: timed, schemaId, outOfOrder: () => metrics.outOfOrder.inc() }),
          )
        : null;
    eventsPart = events;
    if (webhooks && events) {
      const { publishOnce } = events;
      webhooks.connect(webhookFlow(config, { kit: timed, deadLetters, publishOnce }));
    }
    const pausable = PAUSABLE.filter(runs);
    const pauses = pausable.length > 0 ? await orStopped(openControl(config, kit, pausable)) : null;
    control = pauses;
    if (runs("commands") && partner && pauses) {
      const schemaIds = {
        command: idOf("command"),
        result: idOf("command-result"),
        journal: idOf("command-journal-entry"),
      };
      commandPart = await orStopped(
        openCommands(config, {
          kit: timed,
          metrics,
          deadLetters,
          partner,
          schemaIds,
          followPauses: (hold) => pauses.follow("commands", hold),
          signal,
        }),
      );
    }
    if (runs("reconcile") && partner && events && pauses) {
      const untilOpen = (until: AbortSignal): Promise<void> => pauses.untilOpen("reconcile", until);
      reconcilePart = openReconcile(config, { kit, metrics, events, partner, schemaId, untilOpen });
    }
    state = "running";
    log.info({ flows: config.bridge.flows, addresses }, "bridge.running");
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
