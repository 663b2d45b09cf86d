import type { Socket } from "node:net";

/** A place in a {@link LinkedList}. */
type Entry<T> = { readonly value: T; before: Entry<T> | null; after: Entry<T> | null; isIn: boolean };

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

function pauseAgain(this: Socket): void {
  this.pause();
}

/** Stops reading a connection for as long as the listener stays: a request that is read makes it flow again. */
export const stopReading = (socket: Socket): void => {
  socket.on("resume", pauseAgain).pause();
};

/**
 * Lets connections wait for each other: new ones, and those that have sent much work at once, such as a body in
 * pieces of one byte. A turn of the event loop reads one of each, so that the rest is answered in between.
 */
export const readInTurns = () => {
  const fresh: Socket[] = [];
  const crowded = new Set<Socket>();
  let takesNewest = true;

  const resume = (socket: Socket | undefined): void => void socket?.off("resume", pauseAgain).resume();
  const turn = (): void => {
    // The newest and the oldest by turns: who connects during a flood neither waits for all of it, nor for ever.
    resume(takesNewest ? fresh.pop() : fresh.shift());
    takesNewest = !takesNewest;
    const [next] = crowded;
    if (next) crowded.delete(next);
    resume(next);
    if (fresh.length + crowded.size > 0) setImmediate(turn);
  };
  const stop = (socket: Socket): void => {
    if (fresh.length + crowded.size === 0) setImmediate(turn);
    stopReading(socket);
  };
  return {
    /** Stops reading a new connection until its turn comes. */
    enter: (socket: Socket): void => {
      stop(socket);
      fresh.push(socket);
    },
    /** Stops reading a connection that sends much, until its turn comes. */
    yield: (socket: Socket): void => {
      if (crowded.has(socket)) return;
      stop(socket);
      crowded.add(socket);
    },
  };
};

export type Turns = ReturnType<typeof readInTurns>;
