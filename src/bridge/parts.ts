import { openCommands, type CommandFlow } from "../commands-to-results/wire/open.ts";
import type { Config } from "../config/config.ts";
import { webhookSecrets } from "../config/own-secrets.ts";
import type { Inspection } from "../kafka/cluster/inspect.ts";
import type { Services } from "../kafka/wire/services.ts";
import { openReconcile, type ReconcileFlow } from "../log-to-events/wire/open.ts";
import { openEvents, type Events } from "../notification/wire/events.ts";
import { createMetrics, NO_COMMANDS, type Metrics } from "../ops/metrics.ts";
import type { Partner } from "../partner/client.ts";
import { isUp } from "../runtime/health.ts";
import type { Component, Subsystem } from "../runtime/subsystem.ts";
import { openDeadLetters } from "../dead-letters/park.ts";
import { webhookFlow, type WebhookServer } from "../webhooks-to-events/wire.ts";
import { openControl, type Control } from "./pauses/control.ts";
import { PAUSABLE } from "./pauses/pause-entry.ts";

type Flow = Config["bridge"]["flows"][number];
export const runsIn =
  ({ bridge }: Config) =>
  (flow: Flow): boolean =>
    bridge.flows.includes(flow);

/** The parts of the process that are open. Each belongs to readiness, metrics and shutdown from then on. */
export type Parts = {
  deadLetters?: Subsystem;
  events?: Events;
  control?: Control;
  commands?: CommandFlow;
  reconcile?: ReconcileFlow;
};

const merged = <T>(records: readonly Record<string, T>[]): Record<string, T> =>
  Object.fromEntries(records.flatMap((record) => Object.entries(record)));

export const componentsOf = (parts: Parts): Record<string, Component> =>
  merged(Object.values(parts).map((part) => part.components()));

/** The metrics of the process. Their gauges ask the parts that are open. */
export const metricsOf = (
  config: Config,
  parts: Parts,
  components: () => Record<string, Component>,
): Metrics =>
  createMetrics({
    publisherWaiting: () => merged(Object.values(parts).map((part) => part.waiting())),
    kafkaUp: () =>
      Object.fromEntries(
        Object.entries(components()).flatMap(([name, { health }]) =>
          name === "partner" ? [] : [[name, isUp(health)]],
        ),
      ),
    commands: () => parts.commands?.numbers() ?? NO_COMMANDS,
    commandsLag: () => parts.commands?.lag() ?? new Map(),
    paused: () => parts.control?.paused() ?? {},
    reconcileLeader: runsIn(config)("reconcile") ? () => parts.reconcile?.isLeader() ?? false : null,
  });

type Opening = {
  services: Services;
  webhooks: WebhookServer | null;
  partner: Partner | null;
  schemaIdOf: Inspection["schemaIdOf"];
  /** Aborts when the process is asked to stop. */
  signal: AbortSignal;
  /** Rejects if that happens while something is opened. */
  orStopped: <T>(opening: Promise<T>) => Promise<T>;
};

/** Opens all parts that the flows need, in their order: events, pauses, then the flows that pauses can hold. */
export const openParts = async (
  parts: Parts,
  { services, webhooks, partner, schemaIdOf, signal, orStopped }: Opening,
): Promise<void> => {
  const { config, log } = services;
  const runs = runsIn(config);
  const deadLetters = openDeadLetters(services);
  parts.deadLetters = deadLetters;
  if (webhooks || runs("reconcile"))
    parts.events = await orStopped(openEvents(services, schemaIdOf("transaction-status-updated")));
  const { events } = parts;
  if (webhooks && events) {
    const secrets = webhookSecrets(config, log);
    const { publishOnce } = events;
    webhooks.connect(webhookFlow({ services, secrets, park: deadLetters.parkNotification, publishOnce }));
  }
  if (partner === null) return;

  const pausable = PAUSABLE.filter((name) => runs(name === "accepts" ? "commands" : name));
  const pauses = await orStopped(openControl(services, pausable));
  parts.control = pauses;
  if (runs("commands")) {
    const schemaIds = {
      command: schemaIdOf("command"),
      result: schemaIdOf("command-result"),
      journal: schemaIdOf("command-journal-entry"),
    };
    const deps = { services, park: deadLetters.parkCommand, partner, schemaIds, pauses, signal };
    parts.commands = await orStopped(openCommands(deps));
  }
  if (events && runs("reconcile")) {
    const untilOpen = (until: AbortSignal): Promise<void> => pauses.untilOpen("reconcile", until);
    const schemaId = schemaIdOf("transaction-status-updated");
    parts.reconcile = openReconcile({ services, events, partner, schemaId }, untilOpen);
  }
};
