import type { Socket } from "node:net";

export type FairReader = ReturnType<typeof createFairReader>;

function pauseAgain(this: Socket): void {
  this.pause();
}

/** Stops reading a connection. Node resumes it when it has read a request, so the handler stays to pause it again. */
export const stopReading = (socket: Socket): void => {
  socket.on("resume", pauseAgain).pause();
};

const resume = (socket: Socket | undefined): void => void socket?.off("resume", pauseAgain).resume();

/** A turn of the event loop reads one new and one busy connection, so that the rest is answered in between. */
export const createFairReader = () => {
  const fresh: Socket[] = [];
  const busy = new Set<Socket>();
  let takesNewest = true;

  const turn = (): void => {
    // The newest and the oldest take turns: during a flood nobody waits for all of it, and nobody forever.
    resume(takesNewest ? fresh.pop() : fresh.shift());
    takesNewest = !takesNewest;
    const [next] = busy;
    if (next) busy.delete(next);
    resume(next);
    if (fresh.length + busy.size > 0) setImmediate(turn);
  };
  const stop = (socket: Socket): void => {
    if (fresh.length + busy.size === 0) setImmediate(turn);
    stopReading(socket);
  };
  return {
    admitNew: (socket: Socket): void => {
      stop(socket);
      fresh.push(socket);
    },
    deferBusy: (socket: Socket): void => {
      if (busy.has(socket)) return;
      stop(socket);
      busy.add(socket);
    },
  };
};
