import { pino, type DestinationStream, type LevelWithSilent } from "pino";
import type { Log } from "../runtime/log.ts";

export type ClosableLog = Log & { flush(): void };
type Flushable = DestinationStream & { flushSync?: () => void };

/** Lines are written in bundles: a write for each would cost more than everything else that is done for a webhook. */
const BUNDLE_CHARS = 32_768;
const FLUSH_EVERY_MS = 200;

/**
 * Gathers lines for pino's own stream, which could do so too, but measures all that it holds again with each line.
 */
const bundled = (stream: ReturnType<typeof pino.destination>): Flushable => {
  let lines: string[] = [];
  let chars = 0;
  const pass = (): void => {
    if (lines.length === 0) return;
    stream.write(lines.join(""));
    lines = [];
    chars = 0;
  };
  setInterval(pass, FLUSH_EVERY_MS).unref();
  return {
    write: (line) => {
      lines.push(line);
      chars += line.length;
      if (chars >= BUNDLE_CHARS) pass();
    },
    flushSync: () => {
      pass();
      stream.flushSync();
    },
  };
};

/**
 * One JSON object a line. Nothing secret is ever handed to it: settings that are secret print as `[secret]`, and headers and bodies are not
 * logged.
 * @param destination where lines go; standard output when absent
 */
export const createLog = (level: LevelWithSilent, destination?: DestinationStream): ClosableLog => {
  const stream: Flushable = destination ?? bundled(pino.destination({ fd: 1, sync: false }));
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return Object.assign(logger, { flush: () => stream.flushSync?.() });
};
