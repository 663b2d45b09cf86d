import type { Socket } from "node:net";
import { clientOf } from "./connection.ts";

const authorization = ({ username, password }: URL): Record<string, string> => {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
};

/**
 * Asks a proxy for a tunnel. Rejects on any answer but 200; nothing that is meant for the partner has left by then.
 * @param hop a connection to the proxy that nothing was sent on
 */
export const tunnel = async (
  hop: Socket,
  { proxy, host, port }: { proxy: URL; host: string; port: number },
): Promise<Socket> => {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { socket, statusCode } = await clientOf(hop, new URL(proxy.origin)).connect({
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
  });
  if (statusCode !== 200) throw new Error(`the proxy answered ${statusCode}`);
  if (socket !== hop) throw new Error("the proxy's connection was replaced");
  return hop;
};
