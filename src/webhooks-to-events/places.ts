import type { Socket } from "node:net";

/** A place in a {@link LinkedList}. */
export type Entry<T> = { readonly value: T; before: Entry<T> | null; after: Entry<T> | null; isIn: boolean };

/**
 * A list whose members leave in any order, and come back without a new object: connections do so at each request. (A
 * Set took 15 to 20 MB more under load, a tenth of the process.)
 */
export class LinkedList<T> {
  #first: Entry<T> | null = null;
  #last: Entry<T> | null = null;

  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): Entry<T> {
    const entry = { value, before: null, after: null, isIn: false };
    this.append(entry);
    return entry;
  }

  /** Puts an entry at the end, unless it is in the list. */
  append(entry: Entry<T>): void {
    if (entry.isIn) return;
    entry.isIn = true;
    entry.before = this.#last;
    if (this.#last) this.#last.after = entry;
    else this.#first = entry;
    this.#last = entry;
  }

  /** Removes an entry, if it is in the list. */
  remove(entry: Entry<T>): void {
    if (!entry.isIn) return;
    const { before, after } = entry;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    entry.before = entry.after = null;
    entry.isIn = false;
  }
}

/**
 * The open connections that may give their place to a newcomer. One whose request waits for its answer is not among
 * them.
 */
export const createPlaces = () => {
  const sockets = new LinkedList<Socket>();
  const entries = new Map<Socket, Entry<Socket>>();
  const keep = (socket: Socket): void => {
    const entry = entries.get(socket);
    if (entry) sockets.remove(entry);
  };
  return {
    open: (socket: Socket): void => void entries.set(socket, sockets.add(socket)),
    close: (socket: Socket): void => {
      keep(socket);
      entries.delete(socket);
    },
    /** Its request waits for the answer. */
    keep,
    /** Its request is answered. */
    release: (socket: Socket): void => {
      const entry = entries.get(socket);
      if (entry) sockets.append(entry);
    },
    /** The one that is the longest among them. */
    get oldest(): Socket | undefined {
      return sockets.first;
    },
  };
};

export type Places = ReturnType<typeof createPlaces>;
