import type { TLSSocket } from "node:tls";

/** Per host: enough for this many connections to be opened at once. */
const MAX_KEPT = 64;

/** TLS sessions by host, so that a new connection can resume one instead of a full handshake. */
export const tlsSessions = () => {
  const sessions = new Map<string, Buffer[]>();

  return {
    /**
     * Uses each session once, so that observers cannot correlate connections (RFC 8446, C.4). The last one is
     * used again: some servers issue new ones only with a full handshake.
     */
    take: (host: string): Buffer | undefined => {
      const kept = sessions.get(host) ?? [];
      return kept.length > 1 ? kept.shift() : kept[0];
    },
    /** Keeps the sessions that the server issues on this connection. */
    keepFrom: (socket: TLSSocket, host: string): void => {
      socket.on("session", (session: Buffer) => {
        sessions.set(host, [...(sessions.get(host) ?? []), session].slice(-MAX_KEPT));
      });
    },
  };
};
