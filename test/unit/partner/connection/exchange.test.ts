import { once } from "node:events";
import net from "node:net";
import { expect, it } from "vitest";
import { connectionOver, type Connection } from "../../../../src/partner/connection/connection.ts";
import { exchange } from "../../../../src/partner/connection/exchange.ts";
import type { Server } from "../hostile-server.ts";
import { eventually } from "../../../support/eventually.ts";
import { serve } from "../hostile-server.ts";

const connected = async (server: Server): Promise<Connection> => {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const giveUp = (): void => void socket.destroy();
  return connectionOver(socket, { origin: new URL(server.url), maxIdleMs: 0, giveUp });
};

const SENDING = {
  method: "PUT" as const,
  path: "/x",
  headers: [],
  body: "{}",
  maxBodyBytes: 100,
};
const yes = (): boolean => true;

it("sends nothing once it was cut off", async () => {
  const server = await serve({});
  const { done, cut } = exchange(await connected(server), SENDING, yes);
  cut("too late");
  expect(await done).toEqual({ sent: false, reason: "too late" });
  await eventually(() => server.seen[0]!.closed, "the connection to be closed");
  expect(server.seen[0]!.text).toBe("");
});

it("reads no more of a body than it was told to", async () => {
  const server = await serve({
    onRequest: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
      const more = (): unknown =>
        socket.writable && socket.write("x".repeat(10_000), () => setImmediate(more));
      more();
    },
  });
  const reading = await exchange(await connected(server), SENDING, yes).done;
  expect(reading).toMatchObject({ sent: true, status: 200, complete: true });
  expect(reading.sent && reading.body.toString()).toBe("x".repeat(100));
  await eventually(() => server.seen[0]!.closed, "the connection to be closed");
});
