import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { pino, type LevelWithSilent } from "pino";
import { systemClock } from "../runtime/clock.ts";
import { escapeInvisibleLines } from "../runtime/invisible.ts";
import type { Log, ProcessEnds } from "../runtime/log.ts";

/** Lines are written in chunks: one write per line would cost more than the rest of the work for a webhook. */
const CHUNK_BYTES = 16_384;
/** The most bytes that one UTF-16 unit of a string takes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const FLUSH_EVERY_MS = 200;
/** A reader that has stopped, or a full disk, must not exhaust the memory: lines beyond this are dropped. */
const MAX_BUFFERED_BYTES = 16_777_216;

/** What was not taken is tried again after this time. */
const RETRY_MS = 5;
/** How long the end of the process waits for a reader that is slow, or has stopped. */
const END_MS = 3_000;

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

/** `lost` is called with the number of dropped bytes, once there is room again. */
const createOutput = ({ atExit, unblock }: ProcessEnds, lost: (bytes: number) => void) => {
  const kind = fstatSync(1);
  const isPipe = kind.isFIFO() || kind.isSocket();
  const fd = isPipe ? openUnblocked(unblock) : 1;

  /** The newest lines, encoded as they come: strings that wait would be kept, joined and copied. */
  let newest = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let used = 0;
  /** What is full and not written yet. */
  let chunks: Buffer[] = [];
  let chunkBytes = 0;
  /** Whether another thread writes the first chunk now. */
  let isWriting = false;
  let lostBytes = 0;
  let hasReaderGone = false;
  let endsByMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;

  const endChunk = (): void => {
    if (used === 0) return;
    chunks.push(newest.subarray(0, used));
    chunkBytes += used;
    newest = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    used = 0;
  };
  /** Removes from the first chunk what has been written of it. */
  const drop = (bytes: number): void => {
    const [first] = chunks;
    if (first && bytes < first.length) chunks[0] = first.subarray(bytes);
    else chunks.shift();
    chunkBytes -= bytes;
  };

  const writeNow = (): void => {
    try {
      for (let [first] = chunks; first; [first] = chunks) drop(writeSync(fd, first));
    } catch (error) {
      // A file may take more later, whatever it says, such as that the disk is full; a pipe only after EAGAIN.
      if (!isPipe || (error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
      hasReaderGone = true;
      chunks = [];
    }
  };
  /** Has another thread write to a file, a terminal or a device: a slow disk must not stop the process. */
  const writeInThread = (): void => {
    const [first] = chunks;
    if (isWriting || !first) return;
    isWriting = true;
    write(fd, first, (error, bytes) => {
      isWriting = false;
      if (error) return;
      drop(bytes);
      writeOrRetry();
    });
  };

  /** @returns whether nothing waits any more */
  const writeAll = (isLast = false): boolean => {
    endChunk();
    if (isPipe || isLast) writeNow();
    else writeInThread();
    if (chunks.length > 0) return false;
    if (lostBytes === 0 || hasReaderGone) return true;
    const bytes = lostBytes;
    lostBytes = 0;
    lost(bytes);
    return writeAll(isLast);
  };
  const writeAfter = (ms: number): void => {
    timer = setTimeout(writeOrRetry, ms);
    timer.unref();
  };
  const writeOrRetry = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!writeAll()) writeAfter(RETRY_MS);
  };

  const mayEndWait = (): boolean => systemClock.monotonic() < (endsByMs ??= systemClock.monotonic() + END_MS);
  atExit(() => {
    // The other thread ends what it has begun, and calls nobody back any more.
    if (isWriting) chunks.shift();
    while (!writeAll(true) && mayEndWait()) sleepSync(RETRY_MS);
  });

  return {
    write: (line: string): void => {
      if (hasReaderGone) return;
      if (chunkBytes > MAX_BUFFERED_BYTES) {
        lostBytes += Buffer.byteLength(line);
        return;
      }
      if (used + line.length * MAX_BYTES_PER_UNIT > newest.length) {
        endChunk();
        if (line.length * MAX_BYTES_PER_UNIT > CHUNK_BYTES) newest = Buffer.allocUnsafeSlow(line.length * 3);
        if (chunks.length === 1) writeOrRetry();
      }
      used += newest.write(line, used);
      if (timer === undefined) writeAfter(FLUSH_EVERY_MS);
    },
    /** Resolves when all lines are written, or END_MS after the end began. */
    flush: async (): Promise<void> => {
      while (!writeAll() && mayEndWait()) await systemClock.sleep(RETRY_MS);
    },
  };
};

const PLAIN = /^[ -~]*\n$/;

/** The log redacts nothing, so callers must pass no secrets. It escapes characters that could control a terminal. */
export const createLog = (
  level: LevelWithSilent,
  ends: ProcessEnds,
): Log & { flush: () => Promise<void> } => {
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
