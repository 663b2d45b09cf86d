import { pino, type DestinationStream, type LevelWithSilent } from "pino";
import type { Log } from "../runtime/log.ts";

export type ClosableLog = Log & { flush(): void };

/** Lines are written in bundles: a write for each would cost more than everything else that is done for a webhook. */
const BUNDLE_BYTES = 65_536;
const FLUSH_EVERY_MS = 200;

/**
 * One JSON object a line. Nothing secret is ever handed to it: settings that are secret print as `[secret]`, and headers and bodies are not
 * logged.
 * @param destination where lines go; standard output when absent
 */
export const createLog = (level: LevelWithSilent, destination?: DestinationStream): ClosableLog => {
  const stream =
    destination ??
    pino.destination({
      fd: 1,
      sync: false,
      minLength: BUNDLE_BYTES,
      maxWrite: 2 * BUNDLE_BYTES,
      periodicFlush: FLUSH_EVERY_MS,
    });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return Object.assign(logger, {
    flush: () => {
      if ("flushSync" in stream && typeof stream.flushSync === "function") (stream.flushSync as () => void)();
    },
  });
};
