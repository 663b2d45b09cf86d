import { pino, type DestinationStream, type LevelWithSilent } from "pino";
import type { Log } from "../runtime/log.ts";

export type ClosableLog = Log & { flush(): void };

/**
 * One JSON object a line. Fields that may hold a secret are never logged in the first place; redaction is the second lock.
 * @param destination where lines go; standard output when absent
 */
export const createLog = (level: LevelWithSilent, destination?: DestinationStream): ClosableLog => {
  // Asynchronous: a slow reader of standard output must not slow down the answer to a webhook.
  const stream = destination ?? pino.destination({ fd: 1, sync: false });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ["*.password", "*.token", "*.secret", "*.authorization", "password", "token", "secret"],
        censor: "[secret]",
      },
    },
    stream,
  );
  return Object.assign(logger, {
    flush: () => {
      if ("flushSync" in stream && typeof stream.flushSync === "function") (stream.flushSync as () => void)();
    },
  });
};
