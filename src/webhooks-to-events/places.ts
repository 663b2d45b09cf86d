import type { Socket } from "node:net";
import { LinkedList } from "./linked-list.ts";

/** The open connections that may give their place to a newcomer. One whose request waits for its answer is not among them. */
export type Places = {
  enter: (socket: Socket) => void;
  leave: (socket: Socket) => void;
  /** The one that is the longest among them. */
  readonly oldest: Socket | undefined;
};

export const createPlaces = (): Places => {
  const sockets = new LinkedList<Socket>();
  const leaves = new WeakMap<Socket, () => void>();
  return {
    enter: (socket) => {
      if (!leaves.has(socket)) leaves.set(socket, sockets.add(socket));
    },
    leave: (socket) => {
      leaves.get(socket)?.();
      leaves.delete(socket);
    },
    get oldest() {
      return sockets.first;
    },
  };
};
