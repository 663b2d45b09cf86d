/** A structured log, by level: fields first, then a dotted event name. A pino logger has this shape. */
export type Log = Record<
  "trace" | "debug" | "info" | "warn" | "error" | "fatal",
  (fields: Record<string, unknown>, event: string) => void
>;

/** What the log needs of its process, so as not to keep it from ending. */
export type ProcessEnds = {
  /** Calls `run` at the end of the process, whatever its cause. `run` cannot wait for events. */
  atExit: (run: () => void) => void;
  /** Makes standard output, a pipe or socket, non-blocking for all that write to it. */
  unblock: () => void;
};

const skip = (): void => undefined;
/** The log of tools, which write sentences to standard output and error instead. */
export const silent: Log = { trace: skip, debug: skip, info: skip, warn: skip, error: skip, fatal: skip };
