import type { Server } from "node:http";
import { Hono } from "hono";
import type { Registry } from "prom-client";
import { createListener } from "../listener/listener.ts";
import { isUp, RULES, sentenceOf, type Health } from "../runtime/health.ts";
import type { Component } from "../runtime/subsystem.ts";

const isInTheWay = ({ health, serves }: Component): boolean =>
  serves !== null && RULES[health.kind].unready.includes(serves);

/** What is wrong, then the note; without anything wrong the note says enough. */
const detailOf = (health: Health, note?: string): string => {
  if (note === undefined) return sentenceOf(health);
  return health.kind === "up" ? note : `${sentenceOf(health)}; ${note}`;
};

/** The answer of /readyz: ready unless a component is in the way of the traffic that it serves. */
export const readinessOf = (components: Readonly<Record<string, Component>>) => ({
  status: Object.values(components).some(isInTheWay) ? "unready" : "ready",
  components: Object.fromEntries(
    Object.entries(components).map(([name, { health, note }]) => [
      name,
      { status: isUp(health) ? "up" : "down", detail: detailOf(health, note) },
    ]),
  ),
});

type Ports = { readiness: () => ReturnType<typeof readinessOf>; registry: Registry };

export const createManagementServer = (ports: Ports): Server => {
  const app = new Hono();
  app.get("/livez", (context) => context.json({ status: "alive" }));
  app.get("/readyz", (context) => {
    const readiness = ports.readiness();
    return context.json(readiness, readiness.status === "ready" ? 200 : 503);
  });
  app.get("/metrics", async (context) =>
    context.body(await ports.registry.metrics(), 200, { "content-type": ports.registry.contentType }),
  );
  // Load balancers probe with HTTP/1.0 and send no Host header.
  return createListener({ maxPipelined: 1, maxBodyBytes: 0, needsHost: false }, () => app.fetch);
};
