import type { AddressInfo } from "node:net";
import type { Config } from "../config/config.ts";
import { webhookSecrets } from "../config/own-secrets.ts";
import { createManagementServer, readinessOf } from "../ops/management.ts";
import { createMetrics, NO_COMMANDS } from "../ops/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import { isUp, type Health } from "../runtime/health.ts";
import type { Log } from "../runtime/log.ts";
import { openCommands, type CommandFlow } from "../commands-to-results/wire/open.ts";
import { openDeadLetters } from "../dead-letters/park.ts";
import { openEvents } from "../notification/wire/events.ts";
import { openControl, type Control } from "./pauses/control.ts";
import { createServices } from "../kafka/wire/services.ts";
import { closeServer, listen } from "../listener/listen.ts";
import { openPartner } from "../partner/wire.ts";
import { openTraces } from "../ops/open-traces.ts";
import type { Component, Subsystem } from "../runtime/subsystem.ts";
import { PAUSABLE } from "./pauses/pause-entry.ts";
import { openReconcile, type ReconcileFlow } from "../log-to-events/wire/open.ts";
import { awaitPrerequisites } from "./prerequisites.ts";
import { webhookFlow, webhookServer } from "../webhooks-to-events/wire.ts";

/** A running bridge. */
export type Bridge = {
  addresses: { webhooks: AddressInfo | null; management: AddressInfo };
  /**
   * Graceful shutdown within SHUTDOWN_TIMEOUT: takes nothing new, finishes what is under way, leaves the
   * groups.
   */
  stop(): Promise<void>;
};

/**
 * The part of SHUTDOWN_TIMEOUT after the drain, for closing connections; LAST_LINES_MS of it for the last log
 * lines.
 */
const CLOSE_MS = 2_000;
const LAST_LINES_MS = 500;
/** A safety net: each step of the start has tighter limits of its own. */
const START_STEP_MS = 600_000;
/** At shutdown, requests that are still arriving get this long, plus the publish timeout. */
const ARRIVE_MS = 1_000;

const merged = <T>(records: readonly Record<string, T>[]): Record<string, T> =>
  Object.fromEntries(records.flatMap((record) => Object.entries(record)));

/**
 * The composition root: builds and runs everything. Resolves when the flows run; until then webhooks are
 * answered 503 and the process is not ready. Rejects with a UsageError if something is missing that a person
 * must fix.
 */
export const startBridge = async (
  config: Config,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<Bridge> => {
  const runs = (flow: Config["bridge"]["flows"][number]): boolean => config.bridge.flows.includes(flow);
  const subsystems: Subsystem[] = [];
  let control: Control | null = null;
  let commandFlow: CommandFlow | null = null;
  let reconcileFlow: ReconcileFlow | null = null;
  /** Part of readiness, metrics and shutdown from the moment it is open. */
  const opened = <S extends Subsystem>(subsystem: S): S => {
    subsystems.push(subsystem);
    return subsystem;
  };
  let state: "starting" | "running" | "stopping" = "starting";
  let start: Health = { kind: "starting" };

  const components = (): Record<string, Component> => ({
    ...(state === "starting" && { start: { health: start, serves: "webhooks" } }),
    ...(state === "stopping" && { stop: { health: { kind: "stopping" }, serves: "webhooks" } }),
    ...merged(subsystems.map((subsystem) => subsystem.components())),
  });
  const metrics = createMetrics({
    publisherWaiting: () => merged(subsystems.map((subsystem) => subsystem.waiting())),
    kafkaUp: () =>
      Object.fromEntries(
        Object.entries(components()).flatMap(([name, { health }]) =>
          name === "partner" ? [] : [[name, isUp(health)]],
        ),
      ),
    commands: () => commandFlow?.numbers() ?? NO_COMMANDS,
    commandsLag: () => commandFlow?.lag() ?? new Map(),
    paused: () => control?.paused() ?? {},
    reconcileLeader: runs("reconcile") ? () => reconcileFlow?.isLeader() ?? false : null,
  });

  const traces = await openTraces(config.traces, { clock, log });
  const services = createServices(config, { clock, log, metrics, traces, waitsForSchemas: true });

  const readiness = () => readinessOf(components());
  const management = createManagementServer({ readiness, registry: metrics.registry });
  const webhooks = runs("webhooks") ? webhookServer(services, () => state === "running") : null;

  // One client for both flows, because its limits hold for all calls together.
  const partner = runs("commands") || runs("reconcile") ? openPartner(config, services) : null;

  /** Requests that are still arriving are published and answered. */
  const drainWebhooks = async (ms: number): Promise<void> => {
    if (webhooks)
      await closeServer(webhooks.server, Math.min(ms, config.webhook.publishTimeoutMs + ARRIVE_MS));
  };
  const close = async (): Promise<void> => {
    await Promise.all([
      closeServer(management, 0),
      partner?.close(),
      traces?.close(),
      ...subsystems.map((subsystem) => subsystem.close()),
    ]);
  };

  const stop = async (): Promise<void> => {
    if (state === "stopping") return;
    const hadStarted = state === "running";
    state = "stopping";
    const closeMs = Math.min(CLOSE_MS, config.bridge.shutdownTimeoutMs / 2);
    const drainMs = config.bridge.shutdownTimeoutMs - closeMs;
    if (hadStarted) log.info({ withinMs: drainMs }, "bridge.stopping");
    const reconcileStops = clock.within(drainMs, undefined, Promise.resolve(reconcileFlow?.close()));
    await Promise.all([
      drainWebhooks(drainMs),
      commandFlow?.drain(drainMs),
      reconcileStops.catch(() => undefined),
    ]);
    // Without Kafka, closing may never end. Everything is durable by now, and connections end with the
    // process.
    await clock.within(Math.max(0, closeMs - LAST_LINES_MS), undefined, close()).catch(() => undefined);
    services.close();
    if (hadStarted) log.info({}, "bridge.stopped");
  };

  /** Rejects if the process is asked to stop meanwhile. */
  const orStopped = <T>(step: Promise<T>): Promise<T> => clock.within(START_STEP_MS, signal, step);

  try {
    const { management: at, webhook } = config;
    const addresses = {
      management: await listen(management, at.host, at.port, "MANAGEMENT_PORT"),
      webhooks: webhooks && (await listen(webhooks.server, webhook.host, webhook.port, "WEBHOOK_PORT")),
    };
    const { schemaIds } = await orStopped(
      awaitPrerequisites(services, signal, (cause) => (start = { kind: "waiting", cause })),
    );
    const idOf = (record: Parameters<typeof schemaIds.get>[0]): number => schemaIds.get(record) ?? 0;
    const deadLetters = opened(openDeadLetters(services));
    const schemaId = idOf("transaction-status-updated");
    const events =
      webhooks || runs("reconcile") ? opened(await orStopped(openEvents(services, schemaId))) : null;
    if (webhooks && events) {
      const secrets = webhookSecrets(config, log);
      webhooks.connect(
        webhookFlow({
          services,
          secrets,
          park: deadLetters.parkNotification,
          publishOnce: events.publishOnce,
        }),
      );
    }
    const pausable = PAUSABLE.filter((name) => runs(name === "accepts" ? "commands" : name));
    if (partner) {
      const pauses = opened(await orStopped(openControl(services, pausable)));
      control = pauses;
      if (runs("commands")) {
        const schemaIds = {
          command: idOf("command"),
          result: idOf("command-result"),
          journal: idOf("command-journal-entry"),
        };
        const deps = { services, park: deadLetters.parkCommand, partner, schemaIds, pauses, signal };
        commandFlow = opened(await orStopped(openCommands(deps)));
      }
      if (events && runs("reconcile")) {
        const untilOpen = (until: AbortSignal): Promise<void> => pauses.untilOpen("reconcile", until);
        reconcileFlow = opened(openReconcile({ services, events, partner, schemaId }, untilOpen));
      }
    }
    state = "running";
    log.info({ flows: config.bridge.flows, addresses }, "bridge.running");
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
