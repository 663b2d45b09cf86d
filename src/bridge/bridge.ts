import { openCommands } from "../commands-to-results/wire/open.ts";
import type { Config } from "../config/config.ts";
import { webhookSecrets } from "../config/own-secrets.ts";
import { openDeadLetters } from "../dead-letters/park.ts";
import { createServices } from "../kafka/wire/services.ts";
import { closeServer, listen } from "../listener/listen.ts";
import { openReconcile } from "../log-to-events/wire/open.ts";
import { openEvents } from "../notification/wire/events.ts";
import { createManagementServer, readinessOf } from "../ops/management.ts";
import { openTraces } from "../ops/open-traces.ts";
import { openPartner } from "../partner/wire.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { webhookServer } from "../webhooks-to-events/wire.ts";
import { componentsOf, metricsOf, runs, type Parts, type State } from "./parts.ts";
import { openControl } from "./pauses/control.ts";
import { PAUSABLE } from "./pauses/pause-entry.ts";
import { awaitPrerequisites } from "./prerequisites.ts";

/** The end of SHUTDOWN_TIMEOUT, in which connections close. The last LAST_LINES_MS of it are for lines of the log. */
const CLOSE_MS = 2_000;
const LAST_LINES_MS = 500;
/** A safety net: each step of the start has tighter limits of its own. */
const START_STEP_MS = 600_000;
/** At shutdown, requests that are still arriving get this long, plus the publish timeout. */
const ARRIVE_MS = 1_000;

type Base = Awaited<ReturnType<typeof openBase>>;

/** Opens what exists before Kafka has answered. */
const openBase = async (config: Config, { clock, log }: { clock: Clock; log: Log }, state: State) => {
  const metrics = metricsOf(config, state);
  const traces = await openTraces(config.traces, { clock, log });
  const services = createServices(config, { clock, log, metrics, traces, waitsForSchemas: true });
  const readiness = () => readinessOf(componentsOf(state));
  return {
    services,
    management: createManagementServer({ readiness, registry: metrics.registry }),
    webhooks: runs(config, "webhooks") ? webhookServer(services, () => state.phase === "running") : null,
    /** One client for both flows, because its limits hold for all calls together. */
    partner: runs(config, "commands") || runs(config, "reconcile") ? openPartner(config, services) : null,
  };
};

const listenToAll = async ({ services, management, webhooks }: Base) => {
  const { management: ofManagement, webhook: ofWebhooks } = services.config;
  return {
    management: await listen(management, ofManagement.host, ofManagement.port, "MANAGEMENT_PORT"),
    webhooks: webhooks && (await listen(webhooks.server, ofWebhooks.host, ofWebhooks.port, "WEBHOOK_PORT")),
  };
};

/** Opens what needs Kafka. Each part is in `parts` once it is open, also if a later one fails. */
const openParts = async (
  { services, webhooks, partner }: Base,
  parts: Parts,
  { signal, sayWaiting }: { signal: AbortSignal; sayWaiting: (cause: string) => void },
): Promise<void> => {
  const { config, clock } = services;
  const inTime = <T>(step: Promise<T>): Promise<T> => clock.within(START_STEP_MS, signal, step);

  const { schemaIdOf } = await inTime(awaitPrerequisites(services, signal, sayWaiting));
  const { parkNotification, parkCommand } = (parts.deadLetters = openDeadLetters(services));
  const eventSchemaId = (): number => schemaIdOf("transaction-status-updated");
  if (webhooks || runs(config, "reconcile"))
    parts.events = await inTime(openEvents(services, eventSchemaId()));
  const { events } = parts;
  if (webhooks && events) {
    const { publishOnce } = events;
    webhooks.connect({ secrets: webhookSecrets(config), park: parkNotification, publishOnce });
  }
  if (partner === null) return;

  const pausable = PAUSABLE.filter((name) => runs(config, name === "accepts" ? "commands" : name));
  const pauses = (parts.control = await inTime(openControl(services, pausable)));
  if (runs(config, "commands")) {
    const schemaIds = {
      command: schemaIdOf("command"),
      result: schemaIdOf("command-result"),
      journal: schemaIdOf("command-journal-entry"),
    };
    const deps = { services, park: parkCommand, partner, schemaIds, pauses, signal };
    parts.commands = await inTime(openCommands(deps));
  }
  if (events && runs(config, "reconcile"))
    parts.reconcile = openReconcile({ services, events, partner, schemaId: eventSchemaId() }, (until) =>
      pauses.untilOpen("reconcile", until),
    );
};

const drain = async ({ services, webhooks }: Base, parts: Parts, drainMs: number): Promise<void> => {
  const { config, clock } = services;
  const arriveMs = Math.min(drainMs, config.webhook.publishTimeoutMs + ARRIVE_MS);
  const reconcileStops = clock.within(drainMs, undefined, Promise.resolve(parts.reconcile?.close()));
  await Promise.all([
    webhooks && closeServer(webhooks.server, arriveMs),
    parts.commands?.drain(drainMs),
    reconcileStops.catch(() => undefined),
  ]);
};

/** May never resolve if Kafka is away. By then all records are durable, and connections end with the process. */
const closeAll = async ({ services, management, partner }: Base, parts: Parts): Promise<void> => {
  await Promise.all([
    closeServer(management, 0),
    partner?.close(),
    services.traces?.close(),
    ...Object.values(parts).map((part) => part.close()),
  ]);
};

/** Graceful shutdown within SHUTDOWN_TIMEOUT: takes nothing new, finishes what is under way, leaves the groups. */
const stopBridge = async (base: Base, state: State): Promise<void> => {
  const { config, clock, log, close } = base.services;
  const hadStarted = state.phase === "running";
  state.phase = { name: "stop", health: { kind: "stopping" } };
  const closeMs = Math.min(CLOSE_MS, config.bridge.shutdownTimeoutMs / 2);
  const drainMs = config.bridge.shutdownTimeoutMs - closeMs;
  if (hadStarted) log.info({ withinMs: drainMs }, "bridge.stopping");
  await drain(base, state.parts, drainMs);
  const closing = closeAll(base, state.parts);
  await clock.within(Math.max(0, closeMs - LAST_LINES_MS), undefined, closing).catch(() => undefined);
  close();
  if (hadStarted) log.info({}, "bridge.stopped");
};

/** Resolves when the flows run; until then webhooks get 503. Throws a UsageError where a person must act. */
export const startBridge = async (
  config: Config,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<{ stop: () => Promise<void> }> => {
  const state: State = { phase: { name: "start", health: { kind: "starting" } }, parts: {} };
  const base = await openBase(config, { clock, log }, state);
  const sayWaiting = (cause: string): void => {
    if (!signal.aborted) state.phase = { name: "start", health: { kind: "waiting", cause } };
  };
  try {
    const addresses = await listenToAll(base);
    await openParts(base, state.parts, { signal, sayWaiting });
    state.phase = "running";
    log.info({ flows: config.bridge.flows, addresses }, "bridge.running");
    return { stop: () => stopBridge(base, state) };
  } catch (error) {
    await stopBridge(base, state);
    throw error;
  }
};
