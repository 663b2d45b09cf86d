import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createManagementServer } from "../../../src/ops/management.ts";

test("a probe that speaks HTTP/1.0 and names no host is answered", async () => {
  const readiness = () => ({ status: "ready" as const, components: {} });
  const server = createManagementServer({ readiness, registry: new Registry() });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    socket.write("GET /readyz HTTP/1.0\r\n\r\n");
    await once(socket, "close");
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    server.close().closeAllConnections();
  }
});
