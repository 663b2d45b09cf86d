import type { Socket } from "node:net";

export type Connections = ReturnType<typeof createConnections>;

/** The open connections. One more than `max` takes the place of the one that has waited for no answer for longest. */
export const createConnections = (max: number) => {
  /** When a connection last began to wait for no answer, as a count of changes; Infinity while it waits for one. */
  const idleSince = new Map<Socket, number>();
  let changes = 0;

  /** Sorted when it was empty, the idlest last: a flood of new connections must not look through all for each. */
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
