import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { createManagementServer } from "../../../src/ops/management.ts";

test("answers a probe with HTTP/1.0 and no Host header", async () => {
  const readiness = () => ({ status: "ready" as const, components: {} });
  const server = createManagementServer({ readiness, registry: new Registry() });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET /readyz HTTP/1.0\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
});
