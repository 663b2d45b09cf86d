import type { Socket } from "node:net";

type LinkedListNode<T> = {
  readonly value: T;
  previous: LinkedListNode<T> | null;
  next: LinkedListNode<T> | null;
  isLinked: boolean;
};

/**
 * A list whose members leave in any order, and come back without a new object: connections do so at each request. (A
 * Set took 15 to 20 MB more under load, a tenth of the process.)
 */
export class LinkedList<T> {
  #first: LinkedListNode<T> | null = null;
  #last: LinkedListNode<T> | null = null;

  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): LinkedListNode<T> {
    const node = { value, previous: null, next: null, isLinked: false };
    this.append(node);
    return node;
  }

  /** Puts an node at the end, unless it is in the list. */
  append(node: LinkedListNode<T>): void {
    if (node.isLinked) return;
    node.isLinked = true;
    node.previous = this.#last;
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
  }

  /** Removes an node, if it is in the list. */
  remove(node: LinkedListNode<T>): void {
    if (!node.isLinked) return;
    const { previous, next } = node;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    node.previous = node.next = null;
    node.isLinked = false;
  }
}

/** The open connections that a new one may close, oldest first: those that wait for no answer. */
export const createEvictableConnections = () => {
  const sockets = new LinkedList<Socket>();
  const nodes = new Map<Socket, LinkedListNode<Socket>>();
  const protect = (socket: Socket): void => {
    const node = nodes.get(socket);
    if (node) sockets.remove(node);
  };
  return {
    add: (socket: Socket): void => void nodes.set(socket, sockets.add(socket)),
    remove: (socket: Socket): void => {
      protect(socket);
      nodes.delete(socket);
    },
    /** Keeps a connection open while its request is being answered. */
    protect,
    unprotect: (socket: Socket): void => {
      const node = nodes.get(socket);
      if (node) sockets.append(node);
    },
    /** The connection that could be closed for the longest time. */
    get oldest(): Socket | undefined {
      return sockets.first;
    },
  };
};

export type EvictableConnections = ReturnType<typeof createEvictableConnections>;

function pauseAgain(this: Socket): void {
  this.pause();
}

/** Stops reading a connection. Node resumes it at the next request that it has read, so the handler stays. */
export const stopReading = (socket: Socket): void => {
  socket.on("resume", pauseAgain).pause();
};

/**
 * Lets connections wait for each other: new ones, and those that have sent much work at once, such as a body in
 * pieces of one byte. A turn of the event loop reads one of each, so that the rest is answered in between.
 */
export const createFairReader = () => {
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
    admitNew: (socket: Socket): void => {
      stop(socket);
      fresh.push(socket);
    },
    /** Stops reading a connection that sends much, until its turn comes. */
    deferBusy: (socket: Socket): void => {
      if (crowded.has(socket)) return;
      stop(socket);
      crowded.add(socket);
    },
  };
};

export type FairReader = ReturnType<typeof createFairReader>;
