import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import { decodePercent } from "../../runtime/percent.ts";
import { fullEventLoopTurn } from "../../runtime/event-loop.ts";
import type { PartnerOptions } from "../types.ts";
import { clientOf } from "./connection.ts";
import { dnsCache } from "./dns-cache.ts";
import { untilCertificateTaken } from "./client-certificate.ts";

export type TlsMaterial = PartnerOptions["tls"];

type ConnectOptions = Pick<PartnerOptions, "tls" | "proxy" | "clock"> & { origin: URL };

export type Opening = {
  /**
   * Resolves when TCP, the proxy's tunnel and TLS are done, the partner has taken the client certificate, if there is
   * one, and has neither closed the connection nor sent anything. Rejects otherwise. Nothing of a request has been sent.
   */
  socket: Promise<net.Socket>;
  /** Ends it at any stage, and discards what has been written and not sent yet. */
  giveUp: () => void;
};

export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";
  readonly status: number;
  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

const isTls = (url: URL): boolean => url.protocol === "https:";
const portOf = (url: URL): number => Number(url.port || (isTls(url) ? 443 : 80));
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

const authorization = ({ username, password }: URL): Record<string, string> => {
  if (username === "") return {};
  const pair = [username, password].map((text) => decodePercent(text) ?? text).join(":");
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
};

/** Asks a proxy for a tunnel (CONNECT). Rejects on any answer but 200. */
const tunnel = async (
  toProxy: net.Socket,
  { proxy, host, port }: { proxy: URL; host: string; port: number },
): Promise<void> => {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { socket, statusCode } = await clientOf(toProxy, new URL(proxy.origin)).connect({
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
  });
  if (statusCode !== 200) throw new ProxyRefusal(statusCode);
  if (socket !== toProxy) throw new Error("the proxy's connection was replaced");
};

/** Registers a socket as soon as it exists, so that it can be given up at any moment. */
type Track = (socket: net.Socket) => void;

export const connectFor = ({ origin, tls: material, proxy, clock }: ConnectOptions): (() => Opening) => {
  const lookup = dnsCache(clock);
  /** The newest TLS session of each host, so that a new connection can resume it instead of a full handshake. */
  const sessions = new Map<string, Buffer>();

  const overTcp = async (url: URL, track: Track): Promise<net.Socket> => {
    const options = { noDelay: true, autoSelectFamily: true, lookup };
    const socket = net.connect({ host: hostOf(url), port: portOf(url), ...options });
    track(socket);
    await once(socket, "connect");
    return socket;
  };

  const overTls = async (url: URL, under: net.Socket, tlsOptions: TlsMaterial, track: Track) => {
    const host = hostOf(url);
    const session = sessions.get(url.host);
    const socket = tls.connect({
      ...tlsOptions,
      socket: under,
      host,
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["http/1.1"],
      ...(session ? { session } : {}),
    });
    track(socket);
    socket.on("session", (issued: Buffer) => sessions.set(url.host, issued));
    const certificateTaken = tlsOptions.cert === undefined ? null : untilCertificateTaken(socket, clock);
    await once(socket, "secureConnect");
    await certificateTaken;
    return socket;
  };

  const open = async (track: Track): Promise<net.Socket> => {
    const hop = proxy?.() ?? null;
    let socket = await overTcp(hop ?? origin, track);
    if (hop !== null) {
      if (isTls(hop)) socket = await overTls(hop, socket, {}, track);
      await tunnel(socket, { proxy: hop, host: hostOf(origin), port: portOf(origin) });
    }
    return isTls(origin) ? overTls(origin, socket, material, track) : socket;
  };

  return () => {
    const sockets: net.Socket[] = [];
    let isGivenUp = false;
    const drop = (socket: net.Socket): void => {
      if (socket.destroyed) return;
      const isBare = !(socket instanceof tls.TLSSocket) && !socket.connecting && !socket.writableEnded;
      // After a normal close the kernel would go on sending what was written, long after the call is over.
      if (isBare) socket.resetAndDestroy();
      // An error must be given, or the wait for "connect" would never end.
      else socket.destroy(new Error("the connection was given up"));
    };
    const giveUp = (): void => {
      isGivenUp = true;
      sockets.forEach(drop);
    };
    const track: Track = (socket) => {
      sockets.push(socket.on("error", () => undefined));
      // A socket that was opened too late is of no use.
      if (isGivenUp) drop(socket);
    };
    const untouched = async (): Promise<net.Socket> => {
      const socket = await open(track);
      await fullEventLoopTurn();
      if (socket.destroyed || socket.readableEnded || !socket.writable)
        throw new Error("the connection was closed at once");
      if (socket.readableLength > 0) throw new Error("the other side spoke before it was asked");
      return socket;
    };
    const socket = untouched();
    socket.catch(giveUp);
    return { socket, giveUp };
  };
};
