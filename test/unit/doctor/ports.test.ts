import { expect, test } from "vitest";
import { answer, serve, type Server } from "../partner/hostile-server.ts";
import { bridgeLike, examine, freePort, httpServer } from "./faults.ts";

const readyzOf = (body: unknown): Promise<Server> =>
  httpServer(() => answer("503 Service Unavailable", JSON.stringify(body)));

const up = { status: "up", detail: "6 partitions" };
const unready = (name: string, detail: string) => ({
  status: "unready",
  components: { results: up, [name]: { status: "down", detail } },
});
const portsOf = (webhook: Server, management: Server) => ({
  WEBHOOK_PORT: String(webhook.port),
  MANAGEMENT_PORT: String(management.port),
});

test("ports that other programs have, and those that a bridge has already", async () => {
  const taken = await serve({});
  const other = await examine({ WEBHOOK_PORT: String(taken.port) });
  expect(other.line("ports", "WEBHOOK_PORT")).toMatch(/^fail another program has this port.*WEBHOOK_PORT/);
  const webhook = await httpServer(bridgeLike("401 Unauthorized"));
  const running = await examine(portsOf(webhook, await readyzOf(unready("journal", "still reading"))));
  expect(running.line("ports", "WEBHOOK_PORT")).toMatch(/^ok a bridge that runs here/);
  expect(running.line("ports", "MANAGEMENT_PORT")).toMatch(/^ok a bridge that runs here/);
  expect(running.line("ports", "bridge that runs here")).toMatch(
    /^warn it is unready: journal \(still reading\)/,
  );
});

test.each([
  ["silent", () => serve({})],
  ["a web server", () => httpServer(() => answer("200 OK", "<html>"))],
  ["a gateway", () => httpServer(() => answer("405 Method Not Allowed", "", "Allow: GET, POST\r\n"))],
])("a stranger (%s) has the webhook port, and a bridge the management port", async (_, stranger) => {
  const ports = portsOf(await stranger(), await readyzOf({ status: "ready", components: { results: up } }));
  const { line } = await examine(ports);
  expect(line("ports", "MANAGEMENT_PORT")).toMatch(/^ok a bridge that runs here/);
  expect(line("ports", "WEBHOOK_PORT")).toMatch(/^fail .*another program uses this port.*WEBHOOK_PATH/);
});

test("a bridge that runs with another WEBHOOK_AUTH is no stranger", async () => {
  const byToken = await httpServer((method, path) =>
    path === "/webhooks/transaction-status"
      ? answer("404 Not Found", "")
      : bridgeLike("404 Not Found")(method),
  );
  const ports = portsOf(byToken, await readyzOf({ status: "ready", components: { results: up } }));
  expect((await examine(ports)).line("ports", "WEBHOOK_PORT")).toMatch(/^ok a bridge/);
});

test.each([
  ["another status", { status: "UP", components: { db: { status: "UP" } } }],
  ["components without a detail", { status: "ready", components: { db: { status: "UP" } } }],
  ["a list", { status: "ready", components: ["db"] }],
])("another program whose /readyz has %s is no bridge", async (_, body) => {
  const { port } = await readyzOf(body);
  const { line, of } = await examine({ MANAGEMENT_PORT: String(port) });
  expect(line("ports", "MANAGEMENT_PORT")).toMatch(/^fail another program has this port/);
  expect(of("ports", "bridge that runs here")).toEqual([]);
});

test("a bridge without its journal: nothing may be restarted; without anything else, a warning", async () => {
  const lost = await readyzOf(unready("journal", "fx.command-journal is another topic"));
  expect((await examine({ MANAGEMENT_PORT: String(lost.port) })).line("ports", "bridge that")).toBe(
    'fail it is unready: journal (fx.command-journal is another topic); without its journal it begins no command: read "The journal is lost" in docs/failures.md before anything is restarted',
  );
  const alone = await readyzOf(unready("commands-group", "not joined"));
  expect((await examine({ MANAGEMENT_PORT: String(alone.port) })).line("ports", "bridge that")).toMatch(
    /^warn it is unready: commands-group \(not joined\)/,
  );
});

test("one port for both listeners: only the settings are wrong", async () => {
  const port = await freePort();
  const { line } = await examine({ WEBHOOK_PORT: port, MANAGEMENT_PORT: port });
  expect(line("settings", "WEBHOOK_PORT")).toMatch(/^fail is \d+, as MANAGEMENT_PORT is/);
  expect(line("ports", "WEBHOOK_PORT")).toMatch(/^ok is free/);
  expect(line("ports", "MANAGEMENT_PORT")).toMatch(/^ok is free/);
});
