import type { Socket } from "node:net";

/** A turn of the event loop that takes longer is too full for more than one connection of those that wait. */
const FULL_TURN_MS = 5;
const MAX_A_TURN = 4;

function pauseAgain(this: Socket): void {
  this.pause();
}

/** Stops reading a connection for as long as the listener stays: a request that is read makes it flow again. */
export const stopReading = (socket: Socket): void => {
  socket.on("resume", pauseAgain).pause();
};

/**
 * Lets connections wait for each other: new ones, and those that have sent much work at once, such as a body in
 * pieces of one byte. They are read one after the other, so that the rest is answered in between.
 * @param monotonic milliseconds
 */
export const readInTurns = (monotonic: () => number) => {
  const fresh = new Set<Socket>();
  const crowded = new Set<Socket>();
  let lastTurnAt = 0;
  let allowed = 1;

  const resume = (queue: Set<Socket>, most: number): void => {
    let left = most;
    for (const socket of queue) {
      if (left-- === 0) return;
      queue.delete(socket);
      socket.off("resume", pauseAgain).resume();
    }
  };
  const turn = (): void => {
    const now = monotonic();
    allowed = now - lastTurnAt < FULL_TURN_MS ? Math.min(2 * allowed, MAX_A_TURN) : 1;
    lastTurnAt = now;
    resume(fresh, allowed);
    resume(crowded, 1);
    if (fresh.size + crowded.size > 0) setImmediate(turn);
  };
  const waitIn =
    (queue: Set<Socket>) =>
    (socket: Socket): void => {
      if (fresh.has(socket) || crowded.has(socket)) return;
      if (fresh.size + crowded.size === 0) setImmediate(turn);
      queue.add(socket);
      stopReading(socket);
    };
  return {
    /** Stops reading a new connection until its turn comes. */
    enter: waitIn(fresh),
    /** Stops reading a connection that sends much, until its turn comes. New ones come first. */
    yield: waitIn(crowded),
  };
};

export type Turns = ReturnType<typeof readInTurns>;
