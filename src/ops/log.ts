import { fstatSync } from "node:fs";
import { pino, type LevelWithSilent } from "pino";
import type { Log } from "../runtime/log.ts";
import type { ProcessEnds } from "../runtime/process-ends.ts";
import {
  CHUNK_BYTES,
  createPipeOutput,
  FLUSH_EVERY_MS,
  MAX_BUFFERED_BYTES,
  type Output,
} from "./pipe-output.ts";

export type ClosableLog = Log & Pick<Output, "flush">;

/** A file, a terminal or /dev/null. pino writes what waits at the exit of the process, whatever its cause. */
const createFileOutput = (lost: (bytes: number) => void): Output => {
  const stream = pino.destination({
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
    flush: () => new Promise((resolve) => stream.flush(() => resolve())),
  };
};

/**
 * Logs one JSON object per line to standard output. It redacts nothing: callers must pass no secrets. Secret settings print as
 * `[secret]`; headers and bodies are never logged.
 */
export const createLog = (level: LevelWithSilent, ends: ProcessEnds): ClosableLog => {
  const lost = (bytes: number): void => log.warn({ bytes }, "log.lost");
  const kind = fstatSync(1);
  const output = kind.isFIFO() || kind.isSocket() ? createPipeOutput(ends, lost) : createFileOutput(lost);
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    output,
  );
  return Object.assign(log, { flush: output.flush });
};
