import type { Socket } from "node:net";
import { clientOf } from "./connection.ts";

const authorization = ({ username, password }: URL): Record<string, string> => {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
};

/**
 * Asks a proxy for a tunnel (CONNECT). Rejects on any answer but 200; nothing for the partner has been sent
 * by then.
 * @param toProxy nothing may have been sent on it
 */
export const tunnel = async (
  toProxy: Socket,
  { proxy, host, port }: { proxy: URL; host: string; port: number },
): Promise<void> => {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { socket, statusCode } = await clientOf(toProxy, new URL(proxy.origin)).connect({
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
  });
  if (statusCode !== 200) throw new Error(`the proxy answered ${statusCode}`);
  if (socket !== toProxy) throw new Error("the proxy's connection was replaced");
};
