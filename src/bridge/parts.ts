import type { CommandFlow } from "../commands-to-results/wire/open.ts";
import type { Config } from "../config/config.ts";
import type { ReconcileFlow } from "../log-to-events/wire/open.ts";
import type { Events } from "../notification/wire/events.ts";
import { createMetrics, NO_COMMANDS } from "../ops/metrics.ts";
import { isUp } from "../runtime/health.ts";
import type { Component, Subsystem } from "../runtime/subsystem.ts";
import type { Control } from "./pauses/control.ts";

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

export const metricsOf = (config: Config, parts: Parts, components: () => Record<string, Component>) =>
  createMetrics({
    publisherWaiting: () => merged(Object.values(parts).map((part) => part.waiting())),
    kafkaUp: () => {
      const kafkaComponents = Object.entries(components()).filter(([name]) => name !== "partner");
      return Object.fromEntries(kafkaComponents.map(([name, { health }]) => [name, isUp(health)]));
    },
    commands: () => parts.commands?.numbers() ?? NO_COMMANDS,
    commandsLag: () => parts.commands?.lag() ?? new Map(),
    paused: () => parts.control?.paused() ?? {},
    reconcileLeader: runsIn(config)("reconcile") ? () => parts.reconcile?.isLeader() ?? false : null,
  });
