import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Listens on a port that nobody has, until the server is closed. @returns host:port */
export const listen = async (server: Server): Promise<string> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
