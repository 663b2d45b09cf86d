import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { createManagementServer } from "../../../src/ops/management.ts";

const opened = async () => {
  const readiness = () => ({ status: "ready" as const, components: {} });
  const server = createManagementServer({ readiness, registry: new Registry() });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
};

/** Everything that arrives until the other side closes the connection. */
const probe = async (socket: Socket): Promise<string> => {
  let text = "";
  socket.on("error", () => undefined).on("data", (chunk: string) => (text += chunk));
  socket.write("GET /readyz HTTP/1.0\r\n\r\n");
  await once(socket, "close");
  return text;
};

test("answers a probe with HTTP/1.0 and no Host header", async () => {
  const open = await opened();
  expect(await probe(await open())).toMatch(/^HTTP\/1\.1 200 /);
});
