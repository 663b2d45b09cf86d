import { pino, type DestinationStream, type LevelWithSilent } from "pino";
import type { Log } from "../runtime/log.ts";

export type ClosableLog = Log & {
  /** Resolves when all lines are written, or when nobody has taken them for a while. */
  flush(): Promise<void>;
};
type Flushable = DestinationStream & { drained?: () => Promise<void> };

/** Lines are written in bundles: a write for each would cost more than everything else that is done for a webhook. A pipe holds two of these. */
const BUNDLE_BYTES = 32_768;
/** One UTF-16 unit takes three bytes of UTF-8 at most. */
const UTF8_BYTES = 3;
/** So much waits for whoever reads the lines. Somebody who reads no more must not cost the process its memory: what comes then is lost. */
const MOST_WAITING_BYTES = 16_777_216;
const FLUSH_EVERY_MS = 200;
/** At the end, lines are waited for as long as somebody takes some of them within this time. */
const NOBODY_READS_MS = 2_000;

/**
 * Gathers lines, as bytes, for pino's own stream: as a string a line is four times as large, in thirty pieces, which V8 would copy for as long as
 * the line waits. What was gathered is written when the process ends, whatever ends it: pino asks its stream for that.
 * @param lost hears how many bytes were lost, once there is room again
 */
const bundled = (lost: (bytes: number) => void): Flushable => {
  const stream = pino.destination({
    // Not `fd`, which has pino look at process.stdout: node makes a pipe non-blocking then, and each write that does not fit into it at once waits for 100 ms.
    dest: 1,
    sync: false,
    contentMode: "buffer",
    minLength: BUNDLE_BYTES / 2,
    maxWrite: 2 * BUNDLE_BYTES,
    maxLength: MOST_WAITING_BYTES,
  });
  const write = stream.write.bind(stream) as unknown as (bytes: Buffer) => boolean;
  const flushSync = stream.flushSync.bind(stream);
  const bundle = Buffer.alloc(BUNDLE_BYTES);
  let end = 0;
  let lostBytes = 0;
  /** Hands the lines over; the stream writes them once they are enough, or when it is asked to. */
  const pass = (): void => {
    if (end === 0) return;
    // A copy: the stream keeps what it is given until it is written.
    write(Buffer.from(bundle.subarray(0, end)));
    end = 0;
  };
  stream.on("drop", (bytes: Buffer) => (lostBytes += bytes.length));
  stream.on("drain", () => {
    if (lostBytes > 0) lost(lostBytes);
    lostBytes = 0;
  });
  setInterval(() => {
    pass();
    stream.flush();
  }, FLUSH_EVERY_MS).unref();
  return Object.assign(stream, {
    write: (line: string) => {
      const most = UTF8_BYTES * line.length;
      if (end + most > BUNDLE_BYTES) pass();
      if (most > BUNDLE_BYTES) write(Buffer.from(line));
      else end += bundle.write(line, end);
      return true;
    },
    flushSync: () => {
      pass();
      flushSync();
    },
    drained: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, NOBODY_READS_MS);
        stream.on("write", () => timer.refresh());
        pass();
        stream.flush(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  });
};

/**
 * One JSON object a line. Nothing secret is ever handed to it: settings that are secret print as `[secret]`, and headers and bodies are not
 * logged.
 * @param destination where lines go; standard output when absent
 */
export const createLog = (level: LevelWithSilent, destination?: DestinationStream): ClosableLog => {
  const stream: Flushable = destination ?? bundled((bytes) => log.warn({ bytes }, "log.lost"));
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return Object.assign(log, { flush: async () => stream.drained?.() });
};
