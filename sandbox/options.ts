import type { Form } from "./api/answers.ts";
import { runningClock, type SandboxClock } from "./runtime/clock.ts";
import type { Walk } from "./transactions/walks.ts";

/** What happens to a second accept of a quote: 409, the first answer again, or a second execution. */
export const repetitions = ["conflict", "same", "again"] as const;
export type Repetition = (typeof repetitions)[number];

const minuteMs = 60_000;

/** The defaults. All durations are milliseconds of the partner's time, which the time scale divides. */
const defaults = {
  host: "127.0.0.1",
  /** 0: any free port. */
  port: 0,
  timeScale: 1,
  answers: "plain" as Form,
  /** The tokens that are asked for; null: any. */
  accessToken: null as string | null,
  xToken: null as string | null,
  /** Subscribed from the start. */
  webhookUrls: [] as readonly string[],
  /** The same-day rule ends a quote earlier. */
  quoteValidityMs: 24 * 60 * minuteMs,
  /** Mean time between two statuses of a transaction. */
  stepMs: 10 * minuteMs,
  /** Mean time between two attempts to deliver. */
  retryMs: 15 * minuteMs,
  repetition: "conflict" as Repetition,
  /** Executes accepts of quotes that were never created, instead of refusing them. */
  acceptUnknownQuotes: false,
  /** Notifications name the quote of their transaction. What else they hold is not shown by the real partner. */
  nameQuotes: false,
  walk: "main" as Walk,
};

export type Settings = Readonly<typeof defaults> & { clock: SandboxClock };
export type SandboxOptions = { [Name in keyof typeof defaults]?: (typeof defaults)[Name] | undefined } & {
  /** Default: runs at real speed from now. */
  clock?: SandboxClock | undefined;
};

export const settingsFrom = (options: SandboxOptions): Settings => {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...defaults, clock: runningClock(Date.now()), ...given };
};
