import { pino, type LevelWithSilent } from "pino";
import type { Log, ProcessEnds } from "../runtime/log.ts";
import { createOutput, type Output } from "./output.ts";

export type ClosableLog = Log & Pick<Output, "flush">;

/**
 * Logs one JSON object per line to standard output. It redacts nothing: callers must pass no secrets. Secret settings
 * print as `[secret]`; headers and bodies are never logged.
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
    output,
  );
  return Object.assign(log, { flush: output.flush });
};
