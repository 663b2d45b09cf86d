import type { Log } from "../runtime/log.ts";

const nothing = (): void => undefined;

/** Tools speak in sentences on standard output and error, not in log lines. */
export const silent: Log = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
};
