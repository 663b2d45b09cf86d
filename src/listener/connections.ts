import type { Socket } from "node:net";

export type Connections = ReturnType<typeof createConnections>;

/** Holds up to `max` connections. A further one closes the one that has had no request in progress for longest. */
export const createConnections = (max: number) => {
  /** When a connection became idle, as a count of changes; Infinity while a request on it is being answered. */
  const idleSince = new Map<Socket, number>();
  let changes = 0;

  /** Idle connections, the longest idle last. Sorted only when it is empty, because a flood would sort it for each. */
  let candidates: [Socket, number][] = [];
  const idlest = (): Socket | null => {
    for (;;) {
      if (candidates.length === 0)
        candidates = [...idleSince].filter(([, since]) => since < Infinity).sort(([, a], [, b]) => b - a);
      const [socket, since] = candidates.pop() ?? [null, 0];
      if (socket === null || idleSince.get(socket) === since) return socket;
    }
  };

  return {
    add: (socket: Socket): void => {
      const evicted = idleSince.size < max ? null : (idlest() ?? socket);
      evicted?.destroy();
      idleSince.set(socket, (changes += 1));
      if (evicted) idleSince.delete(evicted);
      socket.once("close", () => idleSince.delete(socket));
    },
    protect: (socket: Socket): void => {
      if (idleSince.has(socket)) idleSince.set(socket, Infinity);
    },
    unprotect: (socket: Socket): void => {
      if (idleSince.get(socket) === Infinity) idleSince.set(socket, (changes += 1));
    },
  };
};
