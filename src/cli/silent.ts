import type { Log } from "../runtime/log.ts";

const nothing = (): void => undefined;

/** The log of tools, which write sentences to standard output and error instead. */
export const silent: Log = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
};
