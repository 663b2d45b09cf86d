import { connect, createServer, type Socket } from "node:net";
import { freePort } from "../../dev/cluster/ports.mjs";

/** A TCP proxy that can be shut: then connections are cut and new ones refused. */
export type TcpProxy = { port: number; open: () => Promise<void>; shut: () => Promise<void> };

/** The proxy is shut at first. */
export const createTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const port = await freePort();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = keep(connect(targetPort, "127.0.0.1"));
    keep(near).pipe(far).pipe(near);
    near.on("close", () => far.destroy());
  });
  return {
    port,
    open: () => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve)),
    shut: () =>
      new Promise((resolve) => {
        if (!server.listening) {
          resolve();
          return;
        }
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
