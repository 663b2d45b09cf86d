import type { CommandFlow } from "../commands-to-results/wire/open.ts";
import type { Config } from "../config/config.ts";
import type { ReconcileFlow } from "../log-to-events/wire/open.ts";
import type { Events } from "../notification/wire/events.ts";
import { createMetrics, NO_COMMANDS } from "../ops/metrics.ts";
import { isUp, type Health } from "../runtime/health.ts";
import type { Component, Subsystem } from "../runtime/subsystem.ts";
import type { Control } from "./pauses/control.ts";

type Flow = Config["bridge"]["flows"][number];
export const runs = ({ bridge }: Config, flow: Flow): boolean => bridge.flows.includes(flow);

/** The parts of the process that are open. Each belongs to readiness, metrics and shutdown from then on. */
export type Parts = {
  deadLetters?: Subsystem;
  events?: Events;
  control?: Control;
  commands?: CommandFlow;
  reconcile?: ReconcileFlow;
};

/** What the process does now, and which of its parts are open. Starting and stopping are components of readiness. */
export type State = { phase: "running" | { name: "start" | "stop"; health: Health }; parts: Parts };

const merged = <T>(records: readonly Record<string, T>[]): Record<string, T> =>
  Object.fromEntries(records.flatMap((record) => Object.entries(record)));

export const componentsOf = ({ phase, parts }: State): Record<string, Component> => ({
  ...(phase !== "running" && { [phase.name]: { health: phase.health, serves: "webhooks" } }),
  ...merged(Object.values(parts).map((part) => part.components())),
});

export const metricsOf = (config: Config, state: State) => {
  const { parts } = state;
  return createMetrics({
    publisherWaiting: () => merged(Object.values(parts).map((part) => part.waiting())),
    kafkaUp: () => {
      const kafkaComponents = Object.entries(componentsOf(state)).filter(([name]) => name !== "partner");
      return Object.fromEntries(kafkaComponents.map(([name, { health }]) => [name, isUp(health)]));
    },
    commands: () => parts.commands?.numbers() ?? NO_COMMANDS,
    commandsLag: () => parts.commands?.lag() ?? new Map(),
    paused: () => parts.control?.paused() ?? {},
    reconcileLeader: runs(config, "reconcile") ? () => parts.reconcile?.isLeader() ?? false : null,
  });
};
