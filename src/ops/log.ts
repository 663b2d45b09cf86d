import { pino, type DestinationStream, type LevelWithSilent } from "pino";
import type { Log } from "../runtime/log.ts";

export type ClosableLog = Log & {
  /** Resolves when all lines are written, or when the reader has taken none for a while. */
  flush(): Promise<void>;
};
type Flushable = DestinationStream & { flush?: () => Promise<void> };

/**
 * Lines are written in chunks: one write per line would cost more than the rest of the work for a webhook.
 */
const CHUNK_BYTES = 16_384;
const FLUSH_EVERY_MS = 200;
/** A reader that has stopped must not exhaust the memory of the process: lines beyond this are dropped. */
const MAX_BUFFERED_BYTES = 16_777_216;
const STALLED_FLUSH_MS = 2_000;

/**
 * Standard output. pino flushes its stream at the exit of the process, whatever its cause.
 * @param lost called with the number of dropped bytes, once there is room again
 */
const standardOutput = (lost: (bytes: number) => void): Flushable => {
  const stream = pino.destination({
    // Not `fd`: with it pino uses process.stdout, so that node makes a pipe non-blocking, and each write that
    // does not fit then waits 100 ms.
    dest: 1,
    sync: false,
    // With strings, each new line would copy all lines that wait.
    contentMode: "buffer",
    minLength: CHUNK_BYTES,
    maxWrite: 4 * CHUNK_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  });
  const write = stream.write.bind(stream) as unknown as (bytes: Buffer) => boolean;
  let lostBytes = 0;
  stream.on("drop", (bytes: Buffer) => (lostBytes += bytes.length));
  stream.on("drain", () => {
    if (lostBytes > 0) lost(lostBytes);
    lostBytes = 0;
  });
  return {
    write: (line) => void write(Buffer.from(line)),
    flush: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          // Otherwise the exit of the process would block on the rest, even when the reader has gone.
          stream.destroy();
          resolve();
        }, STALLED_FLUSH_MS);
        stream.on("write", () => timer.refresh());
        stream.flush(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
};

/**
 * Logs one JSON object per line. It redacts nothing: callers must pass no secrets. Secret settings print as
 * `[secret]`; headers and bodies are never logged.
 * @param destination standard output when absent
 */
export const createLog = (level: LevelWithSilent, destination?: DestinationStream): ClosableLog => {
  const stream: Flushable = destination ?? standardOutput((bytes) => log.warn({ bytes }, "log.lost"));
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return Object.assign(log, { flush: async () => stream.flush?.() });
};
