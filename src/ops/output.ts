import { constants, fstatSync, openSync, writev, writevSync } from "node:fs";
import { systemClock } from "../runtime/clock.ts";
import type { ProcessEnds } from "../runtime/log.ts";

/** Where the log's lines go. */
export type Output = {
  write: (line: string) => void;
  /** Resolves when all lines are written, or when none could be for a while. */
  flush: () => Promise<void>;
};

/**
 * Writes what the output takes now, without waiting for it.
 * @param isLast the process ends: no callback comes any more
 * @returns how many bytes; 0 when it must be tried again. Throws when the reader has gone.
 */
type Take = (chunks: readonly Buffer[], isLast: boolean) => number;

/** Lines are written in chunks: one write per line would cost more than the rest of the work for a webhook. */
const CHUNK_BYTES = 16_384;
/** The most bytes that one UTF-16 unit of a string takes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const FLUSH_EVERY_MS = 200;
/** A reader that has stopped, or a full disk, must not exhaust the memory: lines beyond this are dropped. */
const MAX_BUFFERED_BYTES = 16_777_216;

/** What took nothing is tried again after this time, and each time after twice the time before. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 64;
/** An output that takes nothing for so long is given up at the end of the process. */
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
 * A pipe or socket. No write waits for the reader: it would hold a thread, node waits for its threads at the
 * end, and a reader that has stopped but stays would keep the process from ending.
 */
const toPipe = (unblock: ProcessEnds["unblock"]): Take => {
  const fd = openUnblocked(unblock);
  return (chunks) => {
    try {
      return writevSync(fd, chunks);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EAGAIN") return 0;
      throw error;
    }
  };
};

const sizeOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, { length }) => sum + length, 0);

/**
 * A file, a terminal or a device, written by another thread: a slow disk must not stop the process. Whatever
 * fails, such as a write to a full disk, is tried again.
 * @param wake called when a write has ended
 */
const toFile = (wake: () => void): Take => {
  /** Bytes that the other thread writes now. */
  let writing = 0;
  let written = 0;
  return (chunks, isLast) => {
    if (isLast) {
      try {
        // The other thread ends what it has begun.
        return writing > 0 ? writing : writevSync(1, chunks);
      } catch {
        return 0;
      } finally {
        writing = 0;
      }
    }
    const before = written;
    written = 0;
    if (before > 0 || writing > 0) return before;
    writing = sizeOf(chunks);
    // All that waits: a write a turn of the event loop, of one chunk, would be too slow under load.
    writev(1, chunks, (error, bytes) => {
      writing = 0;
      if (error) return;
      written = bytes;
      wake();
    });
    return 0;
  };
};

/** What is left when its first `bytes` are written. */
const without = (chunks: readonly Buffer[], bytes: number): Buffer[] => {
  let left = bytes;
  return chunks.flatMap((chunk) => {
    const taken = Math.min(left, chunk.length);
    left -= taken;
    return taken === chunk.length ? [] : [chunk.subarray(taken)];
  });
};

/**
 * Writes lines to standard output.
 * @param lost called with the number of dropped bytes, once there is room again
 */
export const createOutput = ({ atExit, unblock }: ProcessEnds, lost: (bytes: number) => void): Output => {
  /** The newest lines, encoded as they come: strings that wait would be kept, joined and copied. */
  let newest = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let used = 0;
  let chunks: Buffer[] = [];
  let chunkBytes = 0;
  let lostBytes = 0;
  let takenAt = -Infinity;
  let hasGone = false;
  let hasGivenUp = false;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;

  const endChunk = (): void => {
    if (used === 0) return;
    chunks.push(newest.subarray(0, used));
    chunkBytes += used;
    newest = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    used = 0;
  };

  /** Writes what the output takes now. @returns whether that is all */
  const writeChunks = (isLast: boolean): boolean => {
    endChunk();
    try {
      while (chunks.length > 0) {
        const taken = take(chunks, isLast);
        if (taken === 0) return false;
        chunks = without(chunks, taken);
        chunkBytes -= taken;
        takenAt = systemClock.monotonic();
        retryMs = FIRST_RETRY_MS;
      }
    } catch {
      // EPIPE: the reader has gone.
      hasGone = true;
      chunks = [];
    }
    return true;
  };

  const writeAll = (isLast = false): boolean => {
    if (!writeChunks(isLast)) return false;
    if (lostBytes === 0 || hasGone) return true;
    const bytes = lostBytes;
    lostBytes = 0;
    lost(bytes);
    return writeChunks(isLast);
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

  const kind = fstatSync(1);
  const take = kind.isFIFO() || kind.isSocket() ? toPipe(unblock) : toFile(write);

  const hasStalledSince = (ms: number): boolean =>
    systemClock.monotonic() - Math.max(ms, takenAt) > STALLED_MS;

  atExit(() => {
    const start = systemClock.monotonic();
    while (!writeAll(true)) {
      if (hasGivenUp || hasStalledSince(start) || systemClock.monotonic() - start > EXIT_MS) return;
      sleepSync(nextRetryMs());
    }
  });

  return {
    write: (line) => {
      if (hasGone) return;
      if (chunkBytes > MAX_BUFFERED_BYTES) {
        lostBytes += Buffer.byteLength(line);
        return;
      }
      if (used + line.length * MAX_BYTES_PER_UNIT > newest.length) {
        endChunk();
        if (line.length * MAX_BYTES_PER_UNIT > CHUNK_BYTES) newest = Buffer.allocUnsafeSlow(line.length * 3);
        if (chunks.length === 1) write();
      }
      used += newest.write(line, used);
      if (timer === undefined) writeAfter(FLUSH_EVERY_MS);
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
