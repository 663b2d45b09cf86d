import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { createConsoleServer } from "../../../src/console/app.ts";
import { createManagementServer } from "../../../src/ops/management.ts";
import { createWebhookServer } from "../../../src/webhooks-to-events/webhook-app.ts";
import { basic } from "../../support/console-program.ts";
import { eventually } from "../../support/eventually.ts";
import { openConsole } from "../console/browser.ts";

const management = (): Server =>
  createManagementServer({
    readiness: () => ({ status: "ready", components: {} }),
    registry: new Registry(),
  });
const webhooks = (): Server =>
  createWebhookServer(
    { path: "/hook", pathToken: false, maxBodyBytes: 100, maxInFlight: 10, maxConnections: 256 },
    { flow: () => null, served: () => undefined, clock: { monotonic: () => 0, now: () => 0 } },
  );

/** Each listener, and a request that it answers at once. */
const listeners = [
  ["webhooks", webhooks, "/hook", 405],
  ["management", management, "/readyz", 200],
  ["console", () => createConsoleServer(openConsole().site), "/story", 401],
] as const;

const open = async (server: Server) => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return async (text = "") => {
    const socket: Socket = connect(port, "127.0.0.1").setEncoding("latin1");
    const seen = { socket, text: "", ended: false };
    onTestFinished(() => void socket.destroy());
    socket.on("data", (chunk: string) => (seen.text += chunk)).on("error", () => undefined);
    socket.on("close", () => (seen.ended = true));
    await once(socket, "connect");
    socket.write(text);
    return seen;
  };
};

describe.each(listeners)("the listener of %s", (_, create, path, status) => {
  const get = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

  test("answers beside three hundred connections that are silent or stop within their head", async () => {
    const to = await open(create());
    const held = await Promise.all(
      Array.from({ length: 300 }, (__, at) => to(at % 2 ? "" : get.slice(0, 20))),
    );
    const probe = await to(get);
    await eventually(() => probe.text.startsWith(`HTTP/1.1 ${status} `), "the answer");
    expect(held.filter(({ ended }) => ended).length).toBeGreaterThanOrEqual(45);
  });

  test("keeps an idle connection for longer than any load balancer", async () => {
    const probe = await (await open(create()))(get);
    await eventually(() => probe.text !== "", "the answer");
    expect(Number(/keep-alive: timeout=(\d+)/i.exec(probe.text)?.[1])).toBeGreaterThan(600);
  });

  test("closes the connection of a body that nobody wants", async () => {
    const to = await open(create());
    const large = await to(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\nx`);
    const endless = await to(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(70_000)}`,
    );
    for (const sender of [large, endless]) {
      await eventually(() => sender.ended, "the connection to be closed");
      expect(sender.text).toMatch(/^HTTP\/1\.1 (413|503) /);
    }
  });
});

test.each(listeners)(
  "the listener of %s keeps few answers that nobody reads",
  async (name, create, path, status) => {
    const sender = await (await open(create()))(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(12));
    const answers = (): number => sender.text.split(`HTTP/1.1 ${status} `).length - 1;
    // Those of the webhooks are small.
    if (name === "webhooks") await eventually(() => answers() === 12, "all answers");
    else await eventually(() => sender.ended, "the connection to be closed");
    if (name !== "webhooks") expect(answers()).toBeLessThanOrEqual(2);
  },
);

test("the console reads a form, whatever pieces it comes in", async () => {
  const to = await open(createConsoleServer(openConsole().site));
  const body = "task=1&note=x";
  const head = `POST /doubt HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nAuthorization: ${basic("ana")}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n`;
  const sender = await to(head);
  for (const character of body) sender.socket.write(character);
  await eventually(() => sender.text !== "", "the answer");
  // The form was read: it names no doubt.
  expect(sender.text).toMatch(/Choose what the partner says/);
});

test("management answers a probe with HTTP/1.0 and no Host header", async () => {
  const to = await open(management());
  const probe = await to("GET /readyz HTTP/1.0\r\n\r\n");
  await eventually(() => probe.text.startsWith("HTTP/1.1 200 "), "the answer");
});
