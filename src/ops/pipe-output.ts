import { constants, openSync, writeSync } from "node:fs";
import { systemClock } from "../runtime/clock.ts";
import type { ProcessEnds } from "../runtime/process-ends.ts";

/** Where the log's lines go. */
export type Output = {
  write: (line: string) => void;
  /** Resolves when all lines are written, or when the reader has taken none for a while. */
  flush: () => Promise<void>;
};

/** Lines are written in chunks: one write per line would cost more than the rest of the work for a webhook. */
export const CHUNK_BYTES = 16_384;
export const FLUSH_EVERY_MS = 200;
/** A reader that has stopped must not exhaust the memory of the process: lines beyond this are dropped. */
export const MAX_BUFFERED_BYTES = 16_777_216;

/** A full pipe is tried again after this time, and each time after twice the time before. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 64;
/** A reader that takes nothing for so long has stopped. */
const STALLED_MS = 2_000;
/** How long the end of the process may wait for a reader that is slow. */
const EXIT_MS = 3_000;

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const sleepSync = (ms: number): void => void Atomics.wait(sleeper, 0, 0, ms);

/**
 * Opens standard output once more, non-blocking: others that write to the same pipe keep one that blocks. What
 * does not fit is tried again after milliseconds (pino's own stream would wait for 100 ms).
 */
const openUnblocked = (unblock: ProcessEnds["unblock"]): number => {
  try {
    return openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // A socket, the pipe of another user, or not Linux.
    unblock();
    return 1;
  }
};

/**
 * Writes lines to standard output, a pipe or socket. No write waits for the reader: it would hold a thread,
 * node waits for its threads at the end, and a reader that has stopped but stays would keep the process from
 * ending.
 * @param lost called with the number of dropped bytes, once there is room again
 */
export const createPipeOutput = ({ atExit, unblock }: ProcessEnds, lost: (bytes: number) => void): Output => {
  const fd = openUnblocked(unblock);
  /** The newest lines; they become a chunk when they are enough, or are about to be written. */
  let lines = "";
  let chunks: Buffer[] = [];
  let chunkBytes = 0;
  let lostBytes = 0;
  let takenAt = -Infinity;
  let hasGone = false;
  let hasGivenUp = false;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;

  const endChunk = (): void => {
    if (lines === "") return;
    const chunk = Buffer.from(lines);
    lines = "";
    chunks.push(chunk);
    chunkBytes += chunk.length;
  };

  /** Writes what the pipe takes now. @returns whether that is all */
  const writeChunks = (): boolean => {
    endChunk();
    try {
      for (let chunk = chunks[0]; chunk !== undefined; chunk = chunks[0]) {
        const taken = writeSync(fd, chunk);
        chunkBytes -= taken;
        takenAt = systemClock.monotonic();
        retryMs = FIRST_RETRY_MS;
        if (taken === chunk.length) chunks.shift();
        else chunks[0] = chunk.subarray(taken);
      }
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EAGAIN") return false;
      // EPIPE: the reader has gone.
      hasGone = true;
      chunks = [];
    }
    return true;
  };

  const writeAll = (): boolean => {
    if (!writeChunks()) return false;
    if (lostBytes === 0 || hasGone) return true;
    const bytes = lostBytes;
    lostBytes = 0;
    lost(bytes);
    return writeChunks();
  };

  const nextRetryMs = (): number => {
    const ms = retryMs;
    retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    return ms;
  };
  const writeAfter = (ms: number): void => {
    timer = setTimeout(write, ms);
    timer.unref();
  };
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!writeAll()) writeAfter(nextRetryMs());
  };

  const hasStalledSince = (ms: number): boolean =>
    systemClock.monotonic() - Math.max(ms, takenAt) > STALLED_MS;

  atExit(() => {
    const start = systemClock.monotonic();
    while (!writeAll()) {
      if (hasGivenUp || hasStalledSince(start) || systemClock.monotonic() - start > EXIT_MS) return;
      sleepSync(nextRetryMs());
    }
  });

  return {
    write: (line) => {
      if (hasGone) return;
      if (chunkBytes + lines.length > MAX_BUFFERED_BYTES) {
        lostBytes += Buffer.byteLength(line);
        return;
      }
      lines += line;
      if (lines.length < CHUNK_BYTES) {
        if (timer === undefined) writeAfter(FLUSH_EVERY_MS);
      } else if (chunks.length === 0) write();
      else endChunk();
    },
    flush: async () => {
      const start = systemClock.monotonic();
      while (!writeAll()) {
        hasGivenUp = hasStalledSince(start);
        if (hasGivenUp) return;
        await systemClock.sleep(nextRetryMs());
      }
    },
  };
};
