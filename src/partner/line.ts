import type { Socket } from "node:net";
import type { Clock } from "../runtime/clock.ts";
import { stillUnused, type Connect } from "./connect.ts";
import type { Pass } from "./gate.ts";

/** No server waits less for a first request. What is older may be closed at the moment when it is written to. */
const FRESH_MS = 1_000;

/**
 * A connection, opened while its call's claim is being written, so that the call need not wait for it. Nothing is sent on it before; it
 * serves one call at most, like every other one. It has a place at the gate from the beginning.
 */
export type Line = {
  /** Gives the connection and its place away, to whoever leaves the place then; null when that was done before, or it was closed. */
  take(): { pass: Pass; socket: (signal: AbortSignal) => Promise<Socket> } | null;
  /** Closes it, unless it was taken. */
  close(): void;
};

/** @param options.timeoutMs how long whoever takes it waits for it, beside the signal */
export const openLine = (
  pass: Pass,
  {
    connect,
    clock,
    timeoutMs,
    signal,
  }: { connect: Connect; clock: Clock; timeoutMs: number; signal: AbortSignal },
): Line => {
  let isOver = false;
  let openedAt = 0;
  const opening = connect(signal).then((socket) => {
    openedAt = clock.monotonic();
    return socket;
  });
  const closed = (): void => {
    opening.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
  };
  // Whoever takes it hears of it.
  opening.catch(() => undefined);

  return {
    take: () => {
      if (isOver) return null;
      isOver = true;
      return {
        pass,
        socket: async (inner) => {
          try {
            const socket = await clock.within(timeoutMs, inner, opening);
            if (clock.monotonic() - openedAt <= FRESH_MS) return await stillUnused(socket);
          } catch {
            // Another one, opened now, says better than this one why there is none.
          }
          closed();
          return connect(inner);
        },
      };
    },
    close: () => {
      if (isOver) return;
      isOver = true;
      pass.leave();
      closed();
    },
  };
};
