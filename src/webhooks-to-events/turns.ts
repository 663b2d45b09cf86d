import type { Socket } from "node:net";

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
