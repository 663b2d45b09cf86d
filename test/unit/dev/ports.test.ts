import { createServer } from "node:net";
import { once } from "node:events";
import { expect, it } from "vitest";
import { freePort, isFree } from "../../../dev/cluster/ports.mjs";

it("gives different ports below those that clients get, each of them free", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(32_768);
  expect(await Promise.all(ports.map((port) => isFree(port)))).not.toContain(false);
});

/** A server on a port below those that clients get and that `freePort` gives out. */
const listening = async () => {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 5_000);
    const server = createServer().listen(port, "127.0.0.1");
    const listens = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (listens) return { server, port };
  }
};

it("gives the preferred port when it is free, and another one when it is not", async () => {
  const preferred = await freePort();
  const other = await freePort(preferred);
  expect(other).not.toBe(preferred);

  const { server, port: taken } = await listening();
  expect(await freePort(taken)).not.toBe(taken);
  server.close();
  await once(server, "close");
  expect(await freePort(taken)).toBe(taken);
});
