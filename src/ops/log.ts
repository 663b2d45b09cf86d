import { constants, fstatSync, openSync, writev, writevSync } from "node:fs";
import { pino, type LevelWithSilent } from "pino";
import { systemClock } from "../runtime/clock.ts";
import { escapeInvisibleLines } from "../runtime/invisible.ts";
import type { Log, ProcessEnds } from "../runtime/log.ts";

type Output = {
  write: (line: string) => void;
  /** Resolves when all lines are written, or when none could be for a while. */
  flush: () => Promise<void>;
};

/** Lines are written in chunks: one write per line would cost more than the rest of the work for a webhook. */
const CHUNK_BYTES = 16_384;
/** The most bytes that one UTF-16 unit of a string takes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const FLUSH_EVERY_MS = 200;
/** A reader that has stopped, or a full disk, must not exhaust the memory: lines beyond this are dropped. */
const MAX_BUFFERED_BYTES = 16_777_216;

/** What was not taken is tried again after this time. */
const RETRY_MS = 5;
/** An output that takes nothing for so long is given up at the end of the process. */
const STALLED_MS = 2_000;
/** How long the end of the process may wait for a reader that is slow. */
const EXIT_MS = 3_000;

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const sleepSync = (ms: number): void => void Atomics.wait(sleeper, 0, 0, ms);

/** A write that waits for a stopped reader would hold a thread of node, which waits for its threads at the end. */
const openUnblocked = (unblock: ProcessEnds["unblock"]): number => {
  try {
    return openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // A socket, the pipe of another user, or not Linux.
    unblock();
    return 1;
  }
};

const without = (chunks: readonly Buffer[], bytes: number): Buffer[] => {
  let left = bytes;
  return chunks.flatMap((chunk) => {
    const written = Math.min(left, chunk.length);
    left -= written;
    return written === chunk.length ? [] : [chunk.subarray(written)];
  });
};

/** `lost` is called with the number of dropped bytes, once there is room again. */
const createOutput = ({ atExit, unblock }: ProcessEnds, lost: (bytes: number) => void): Output => {
  const kind = fstatSync(1);
  const isPipe = kind.isFIFO() || kind.isSocket();
  const fd = isPipe ? openUnblocked(unblock) : 1;

  /** The newest lines, encoded as they come: strings that wait would be kept, joined and copied. */
  let newest = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let used = 0;
  let chunks: Buffer[] = [];
  let chunkBytes = 0;
  /** How many of the chunks another thread writes now. */
  let chunksInFlight = 0;
  let lostBytes = 0;
  let writtenAtMs = -Infinity;
  let hasGone = false;
  let hasGivenUp = false;
  let timer: NodeJS.Timeout | undefined;

  const endChunk = (): void => {
    if (used === 0) return;
    chunks.push(newest.subarray(0, used));
    chunkBytes += used;
    newest = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    used = 0;
  };
  const drop = (bytes: number): void => {
    chunks = without(chunks, bytes);
    chunkBytes -= bytes;
    writtenAtMs = systemClock.monotonic();
  };

  const writeNow = (): void => {
    try {
      while (chunks.length > 0) drop(writevSync(fd, chunks));
    } catch (error) {
      // A file may take more later, whatever it says, such as that the disk is full; a pipe only after EAGAIN.
      if (!isPipe || (error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
      hasGone = true;
      chunks = [];
    }
  };
  /** Has another thread write to a file, a terminal or a device: a slow disk must not stop the process. */
  const writeInThread = (): void => {
    if (chunksInFlight > 0 || chunks.length === 0) return;
    chunksInFlight = chunks.length;
    writev(fd, chunks, (error, bytes) => {
      chunksInFlight = 0;
      if (error) return;
      drop(bytes);
      write();
    });
  };

  /** @returns whether nothing waits any more */
  const writeAll = (isLast = false): boolean => {
    endChunk();
    if (isPipe || isLast) writeNow();
    else writeInThread();
    if (chunks.length > 0) return false;
    if (lostBytes === 0 || hasGone) return true;
    const bytes = lostBytes;
    lostBytes = 0;
    lost(bytes);
    return writeAll(isLast);
  };
  const writeAfter = (ms: number): void => {
    timer = setTimeout(write, ms);
    timer.unref();
  };
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!writeAll()) writeAfter(RETRY_MS);
  };

  const hasStalledSince = (ms: number): boolean =>
    systemClock.monotonic() - Math.max(ms, writtenAtMs) > STALLED_MS;

  atExit(() => {
    const startMs = systemClock.monotonic();
    // The other thread ends what it has begun, and calls nobody back any more.
    chunks.splice(0, chunksInFlight);
    while (!writeAll(true)) {
      if (hasGivenUp || hasStalledSince(startMs) || systemClock.monotonic() - startMs > EXIT_MS) return;
      sleepSync(RETRY_MS);
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
      const startMs = systemClock.monotonic();
      while (!writeAll()) {
        hasGivenUp = hasStalledSince(startMs);
        if (hasGivenUp) return;
        await systemClock.sleep(RETRY_MS);
      }
    },
  };
};

const PLAIN = /^[ -~]*\n$/;

/** The log redacts nothing, so callers must pass no secrets. It escapes characters that could control a terminal. */
export const createLog = (level: LevelWithSilent, ends: ProcessEnds): Log & Pick<Output, "flush"> => {
  const output = createOutput(ends, (bytes) => log.warn({ bytes }, "log.lost"));
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => output.write(PLAIN.test(line) ? line : escapeInvisibleLines(line)) },
  );
  return Object.assign(log, { flush: output.flush });
};
