import type { Socket } from "node:net";
import { LinkedList, type Entry } from "./linked-list.ts";

/**
 * The open connections that may give their place to a newcomer. One whose request waits for its answer is not among
 * them.
 */
export type Places = {
  open: (socket: Socket) => void;
  close: (socket: Socket) => void;
  /** Its request waits for the answer. */
  keep: (socket: Socket) => void;
  /** Its request is answered. */
  release: (socket: Socket) => void;
  /** The one that is the longest among them. */
  readonly oldest: Socket | undefined;
};

export const createPlaces = (): Places => {
  const sockets = new LinkedList<Socket>();
  const entries = new Map<Socket, Entry<Socket>>();
  const keep = (socket: Socket): void => {
    const entry = entries.get(socket);
    if (entry) sockets.remove(entry);
  };
  return {
    open: (socket) => void entries.set(socket, sockets.add(socket)),
    close: (socket) => {
      keep(socket);
      entries.delete(socket);
    },
    keep,
    release: (socket) => {
      const entry = entries.get(socket);
      if (entry) sockets.append(entry);
    },
    get oldest() {
      return sockets.first;
    },
  };
};
