import type { Socket } from "node:net";

export type Connections = ReturnType<typeof createConnections>;

/** The open connections. One more than `max` takes the place of the one that has waited for no answer for longest. */
export const createConnections = (max: number) => {
  /** When a connection last began to wait for no answer, as a count of changes; Infinity while it waits for one. */
  const idleSince = new Map<Socket, number>();
  let changes = 0;

  const idlest = (): Socket | null => {
    let oldest: Socket | null = null;
    let count = Infinity;
    for (const [socket, since] of idleSince)
      if (since < count) {
        oldest = socket;
        count = since;
      }
    return oldest;
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
