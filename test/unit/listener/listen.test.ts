import { Agent, createServer, request, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { closeServer, listen } from "../../../src/listener/listen.ts";
import { UsageError } from "../../../src/runtime/errors.ts";
import { eventually } from "../../support/eventually.ts";

const opened: Server[] = [];
const agents: Agent[] = [];
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const server of opened.splice(0)) server.close().closeAllConnections();
});

/** Answers when told to. */
const serving = async () => {
  const waiting: (() => void)[] = [];
  const server = createServer((_, response) => void waiting.push(() => response.end("done")));
  opened.push(server);
  const { port } = await listen(server, "127.0.0.1", 0, "WEBHOOK_PORT");
  return { server, port, waiting };
};
const asker = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return (): Promise<number> =>
    new Promise((resolve) => {
      const sent = request({ port, agent, host: "127.0.0.1" }, (response) =>
        response.resume().on("end", () => resolve(response.statusCode ?? 0)),
      );
      sent.on("error", () => resolve(0)).end();
    });
};

test("a port that is taken is told with its setting", async () => {
  const { server, port } = await serving();
  expect(server.listening).toBe(true);
  const refused = listen(createServer(), "127.0.0.1", port, "MANAGEMENT_PORT");
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(
    `on 127.0.0.1:${port} (EADDRINUSE); another process listens there: end it, or set MANAGEMENT_PORT to another`,
  );
});

test("a request in progress is finished, and a connection that stays busy does not hold the end up", async () => {
  const { server, port, waiting } = await serving();
  const ask = asker(port);
  const first = ask();
  await eventually(() => waiting.length === 1, "the first request");
  const second = ask();
  let closed = false;
  const closing = closeServer(server, 60_000).then(() => (closed = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
  waiting[0]?.();
  expect(await first).toBe(200);
  await eventually(() => waiting.length === 2 || closed, "the second request, or the end");
  waiting[1]?.();
  await closing;
  expect([200, 0]).toContain(await second);
});

test("what is idle is closed at once, and what never ends is cut off", async () => {
  const { server, port, waiting } = await serving();
  const idle = asker(port);
  const answered = idle();
  await eventually(() => waiting.length === 1, "the request");
  waiting[0]?.();
  await answered;
  const endless = asker(port)();
  await eventually(() => waiting.length === 2, "the other request");
  await closeServer(server, 100);
  expect(await endless).toBe(0);
});
