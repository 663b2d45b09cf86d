/** A structured log, by level: fields first, then a dotted event name. A pino logger has this shape. */
export type Log = Record<
  "trace" | "debug" | "info" | "warn" | "error" | "fatal",
  (fields: Record<string, unknown>, event: string) => void
>;
