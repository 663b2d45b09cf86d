import type { TLSSocket } from "node:tls";

/** For so many connections that are opened at once there is a session each. */
const MAX_KEPT = 64;

/** Sessions of TLS by host, so that a new connection resumes one instead of beginning with a full handshake. */
export const tlsSessions = () => {
  const sessions = new Map<string, Buffer[]>();

  return {
    /**
     * A session is used once where there are others, so that nobody on the way can tell that two connections belong together (RFC 8446, C.4).
     * The last one is used again: some servers give new ones only with a full handshake.
     */
    take: (host: string): Buffer | undefined => {
      const kept = sessions.get(host) ?? [];
      return kept.length > 1 ? kept.shift() : kept[0];
    },
    /** Keeps the sessions that a connection is given. */
    keepFrom: (socket: TLSSocket, host: string): void => {
      socket.on("session", (session: Buffer) => {
        sessions.set(host, [...(sessions.get(host) ?? []), session].slice(-MAX_KEPT));
      });
    },
  };
};
