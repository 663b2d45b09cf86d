/** Where log lines go: fields first, then a short dotted name of what happened. Pino fits. */
export type Log = Record<
  "trace" | "debug" | "info" | "warn" | "error" | "fatal",
  (fields: Record<string, unknown>, event: string) => void
>;
