import { pino, type LevelWithSilent } from "pino";
import { escapeInvisibleLines } from "../runtime/invisible.ts";
import type { Log, ProcessEnds } from "../runtime/log.ts";
import { createOutput, type Output } from "./output.ts";

type ClosableLog = Log & Pick<Output, "flush">;

const PLAIN = /^[ -~]*\n$/;

/**
 * Logs one JSON object per line to standard output. It redacts nothing: callers must pass no secrets. Secret settings
 * print as `[secret]`; headers and bodies are never logged. Invisible characters, which may be the partner's and control
 * the terminal of who reads the log, are escaped; JSON itself escapes those below U+0020 alone.
 */
export const createLog = (level: LevelWithSilent, ends: ProcessEnds): ClosableLog => {
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
