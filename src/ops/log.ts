import { pino, type DestinationStream, type LevelWithSilent } from "pino";
import { isoTimes } from "../runtime/iso-time.ts";
import type { Log } from "../runtime/log.ts";

export type ClosableLog = Log & {
  /** Resolves when all lines are written, or when nobody has taken them for a while. */
  flush(): Promise<void>;
};
type Flushable = DestinationStream & { drained?: () => Promise<void> };

/** Lines are written in bundles: a write for each would cost more than everything else that is done for a webhook. */
const BUNDLE_CHARS = 32_768;
const FLUSH_EVERY_MS = 200;
const LAST_FLUSH_MS = 2_000;

/**
 * Gathers lines for pino's own stream, which could do so too, but measures all that it holds again with each line. What was gathered is
 * written when the process ends, whatever ends it: pino asks its stream for that.
 */
const bundled = (): Flushable => {
  const stream = pino.destination({
    fd: 1,
    sync: false,
    minLength: BUNDLE_CHARS,
    maxWrite: 4 * BUNDLE_CHARS,
  });
  const write = stream.write.bind(stream);
  const flushSync = stream.flushSync.bind(stream);
  let lines: string[] = [];
  let chars = 0;
  /** Hands the lines over; the stream writes them once they are enough, or when it is asked to. */
  const pass = (): void => {
    if (lines.length === 0) return;
    write(lines.join(""));
    lines = [];
    chars = 0;
  };
  setInterval(() => {
    pass();
    stream.flush();
  }, FLUSH_EVERY_MS).unref();
  return Object.assign(stream, {
    write: (line: string) => {
      lines.push(line);
      chars += line.length;
      if (chars >= BUNDLE_CHARS) pass();
      return true;
    },
    flushSync: () => {
      pass();
      flushSync();
    },
    drained: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LAST_FLUSH_MS);
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
  const stream: Flushable = destination ?? bundled();
  const timeOf = isoTimes();
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timeOf(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return Object.assign(logger, { flush: async () => stream.drained?.() });
};
