import { pino, type DestinationStream, type LevelWithSilent } from "pino";
import type { Log } from "../runtime/log.ts";

export type ClosableLog = Log & {
  /** Resolves when all lines are written, or when nobody has taken any for a while. */
  flush(): Promise<void>;
};
type Flushable = DestinationStream & { flush?: () => Promise<void> };

/** Lines are written in bundles: a write for each would cost more than everything else that is done for a webhook. */
const CHUNK_BYTES = 16_384;
const FLUSH_EVERY_MS = 200;
/** So much waits for whoever reads the lines. A reader that stands still must not cost the process its memory: what comes then is lost. */
const MAX_BUFFERED_BYTES = 16_777_216;
const STALLED_FLUSH_MS = 2_000;

/**
 * Standard output. What waits is written when the process ends, whatever ends it: pino asks its stream for that.
 * @param lost hears how many bytes were lost, once there is room again
 */
const standardOutput = (lost: (bytes: number) => void): Flushable => {
  const stream = pino.destination({
    // Not `fd`, which has pino look at process.stdout: node makes a pipe non-blocking then, and each write that does not fit into it waits for 100 ms.
    dest: 1,
    sync: false,
    // As strings, all lines that wait would be joined anew with each one that comes.
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
          // Or the end of the process would try to write the rest for as long as it takes, also to a reader that has gone.
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
 * One JSON object a line. Nothing secret is ever handed to it: settings that are secret print as `[secret]`, and headers and bodies are not
 * logged.
 * @param destination where lines go; standard output when absent
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
