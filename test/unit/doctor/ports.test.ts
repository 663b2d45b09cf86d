import { expect, test } from "vitest";
import { answer, serve } from "../partner/hostile-server.ts";
import { bridgeLike, examine, httpServer } from "./faults.ts";

const readyzOf = (body: unknown) => httpServer(() => answer("503 Service Unavailable", JSON.stringify(body)));

test("ports that other programs have, and those that a bridge has already", async () => {
  const taken = await serve({});
  const other = await examine({ WEBHOOK_PORT: String(taken.port) });
  expect(other.line("ports", "WEBHOOK_PORT")).toMatch(/^fail another program has this port.*WEBHOOK_PORT/);
  const webhook = await httpServer(bridgeLike("401 Unauthorized"));
  const components = { results: { status: "up", detail: "6 partitions" } };
  const management = await readyzOf({ status: "unready", components });
  const ports = { WEBHOOK_PORT: String(webhook.port), MANAGEMENT_PORT: String(management.port) };
  const running = await examine(ports);
  for (const name of Object.keys(ports))
    expect(running.line("ports", name)).toMatch(/^ok a bridge that runs here/);
});

test("another program may have the webhook port of a bridge that runs here without webhooks", async () => {
  const webhook = await httpServer(() => answer("404 Not Found", ""));
  const management = await readyzOf({
    status: "ready",
    components: { results: { status: "up", detail: "" } },
  });
  const ports = { WEBHOOK_PORT: String(webhook.port), MANAGEMENT_PORT: String(management.port) };
  const { line } = await examine(ports);
  expect(line("ports", "MANAGEMENT_PORT")).toMatch(/^ok a bridge that runs here/);
  expect(line("ports", "WEBHOOK_PORT")).toMatch(/^fail another program has this port/);
});

test.each([
  ["another status", { status: "UP", components: { db: { status: "UP" } } }],
  ["components without a detail", { status: "ready", components: { db: { status: "UP" } } }],
])("another program whose /readyz has %s is no bridge", async (_, body) => {
  const { port } = await readyzOf(body);
  const { line } = await examine({ MANAGEMENT_PORT: String(port) });
  expect(line("ports", "MANAGEMENT_PORT")).toMatch(/^fail another program has this port/);
});
