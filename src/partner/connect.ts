import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import type { Clock } from "../runtime/clock.ts";
import { turn } from "../runtime/turn.ts";
import { lookupFor } from "./lookup.ts";
import { tunnel } from "./tunnel.ts";

/** PEM texts: who to trust beside the system's roots, and who to be. */
export type TlsMaterial = { ca?: string | Buffer; cert?: string | Buffer; key?: string | Buffer };

export type ConnectOptions = {
  origin: URL;
  tls: TlsMaterial;
  /**
   * The HTTP proxy that each connection asks for a tunnel, with credentials in the URL where it wants them. It may be another one each time.
   * Null for none.
   */
  proxy: (() => URL) | null;
  clock: Clock;
};

/** A connection on its way. */
export type Opening = {
  /**
   * TCP, the proxy's tunnel and TLS done, nothing was sent to the partner, and it neither closed the connection nor spoke. Rejects on whatever
   * prevents that; no byte of a request can have left then.
   */
  socket: Promise<net.Socket>;
  /** Ends it, how far it ever came, and with it what has been written and is still on its way. */
  giveUp: () => void;
};

const isTls = (url: URL): boolean => url.protocol === "https:";
const portOf = (url: URL): number => Number(url.port || (isTls(url) ? 443 : 80));
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

const ignore = (): undefined => undefined;

/** Opens connections that nothing was sent on. */
export const connectFor = ({ origin, tls: material, proxy, clock }: ConnectOptions): (() => Opening) => {
  const lookup = lookupFor({ clock });
  const sessions = new Map<string, Buffer>();

  const plain = (url: URL): net.Socket =>
    net.connect({ host: hostOf(url), port: portOf(url), noDelay: true, lookup });

  const secure = (url: URL, under: net.Socket, own: TlsMaterial): tls.TLSSocket => {
    const host = hostOf(url);
    const session = sessions.get(url.host);
    const socket = tls.connect({
      ...own,
      socket: under,
      host,
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["http/1.1"],
      ...(session ? { session } : {}),
    });
    return socket.on("session", (next: Buffer) => sessions.set(url.host, next));
  };

  const reach = async (
    url: URL,
    own: TlsMaterial,
    opened: (socket: net.Socket) => void,
  ): Promise<net.Socket> => {
    const socket = plain(url);
    opened(socket);
    await once(socket, "connect");
    return isTls(url) ? secured(url, socket, own, opened) : socket;
  };

  const secured = async (
    url: URL,
    under: net.Socket,
    own: TlsMaterial,
    opened: (socket: net.Socket) => void,
  ): Promise<net.Socket> => {
    const socket = secure(url, under, own);
    opened(socket);
    await once(socket, "secureConnect");
    return socket;
  };

  const open = async (opened: (socket: net.Socket) => void): Promise<net.Socket> => {
    if (proxy === null) return reach(origin, material, opened);
    const asked = proxy();
    const hop = await reach(asked, {}, opened);
    const through = await tunnel(hop, { proxy: asked, host: hostOf(origin), port: portOf(origin) });
    return isTls(origin) ? secured(origin, through, material, opened) : through;
  };

  return () => {
    const sockets: net.Socket[] = [];
    let isGivenUp = false;
    const drop = (socket: net.Socket): void => {
      if (socket.destroyed) return;
      const isBare = !(socket instanceof tls.TLSSocket) && !socket.connecting && !socket.writableEnded;
      // Closed as usual, the system would go on delivering what it had taken, long after the call is over.
      if (isBare) socket.resetAndDestroy();
      // With an error, or whoever waits for it to open would wait on.
      else socket.destroy(new Error("the connection was given up"));
    };
    const giveUp = (): void => {
      isGivenUp = true;
      sockets.forEach(drop);
    };
    const opened = (socket: net.Socket): void => {
      sockets.push(socket.on("error", ignore));
      // What was opened too late is of no use to anybody.
      if (isGivenUp) drop(socket);
    };
    const begun = async (): Promise<net.Socket> => {
      const socket = await open(opened);
      await turn();
      if (socket.destroyed || socket.readableEnded || !socket.writable)
        throw new Error("the connection was closed at once");
      if (socket.readableLength > 0) throw new Error("the other side spoke before it was asked");
      return socket;
    };
    const socket = begun();
    socket.catch(giveUp);
    return { socket, giveUp };
  };
};
