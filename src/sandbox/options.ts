import { randomBytes } from "node:crypto";
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { CreatedAtFormat } from "./api/answers/created-at.ts";
import type { ProfileName } from "./api/answers/profiles.ts";
import { changedLogRules, defaultLogRules, type LogRules } from "./api/log/log-rules.ts";
import type { Signing } from "./notifications/sign.ts";
import { runningClock, type SandboxClock } from "./runtime/clock.ts";
import { WrongInput } from "./runtime/wrong-input.ts";
import type { StoryName } from "./stories.ts";
import type { Walk } from "./transactions/walks.ts";

/**
 * What happens to an accept of a quote that was accepted before: 409, the first answer again, or a second
 * execution.
 */
export const repetitions = ["conflict", "same", "again"] as const;
export type Repetition = (typeof repetitions)[number];

/** All durations are milliseconds of the partner's time, which the time scale divides. */
export type SandboxOptions = {
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Divides the partner's durations; default 1. */
  timeScale?: number | undefined;
  /** Determines ids, jitter and which requests a fault with a probability hits; random by default. */
  seed?: string | undefined;
  /** The instant at which the clock starts; default: now, or a fixed morning with both a story and a seed. */
  startAt?: number | undefined;
  story?: StoryName | undefined;
  answers?: ProfileName | undefined;
  /** Default: that of the answers profile. */
  createdAtFormat?: CreatedAtFormat | undefined;
  /** The required token in `Authorization: Bearer …`; default: any. */
  accessToken?: string | undefined;
  /** The required token in `x-token`; default: any. */
  xToken?: string | undefined;
  /** What must follow the last hyphen of User-Agent; default: anything. */
  serviceName?: string | undefined;
  /** Subscribed from the start. */
  webhookUrls?: readonly string[] | undefined;
  /** Default: 24 hours, so that the same-day rule ends a quote. */
  quoteValidityMs?: number | undefined;
  /** Mean time between two statuses of a transaction; default 10 minutes. */
  stepMs?: number | undefined;
  /** Mean time between two attempts to deliver; default 15 minutes. */
  retryMs?: number | undefined;
  /** How far steps and retries may be from their mean, as a share of it; default 0.2. */
  jitter?: number | undefined;
  /** Default `conflict`. */
  repetition?: Repetition | undefined;
  /** Executes accepts of quotes that were never created, instead of refusing them; default false. */
  acceptUnknownQuotes?: boolean | undefined;
  /** The client uses the local quotation flow, in which an accept must have an amount; default false. */
  localQuotation?: boolean | undefined;
  /** Accepts fields and query parameters that are not in the specification; default false. */
  ignoreUnknownFields?: boolean | undefined;
  /** The statuses that transactions go through; default `main`, or the story's walk. */
  walk?: Walk | undefined;
  /** Notifications are unsigned by default. */
  signing?: Signing | undefined;
  /** The rules of the notification log, as in PUT /_sandbox/log. */
  log?: Partial<LogRules> | undefined;
  /** The capacity of the notification log; the oldest entry is dropped first. Default 1,000,000. */
  logEntries?: number | undefined;
  /** How many quotes, transactions, deliveries and requests each the state shows; default 5,000. */
  history?: number | undefined;
  /** How many quotes exist at most; the oldest is dropped first. Default 50,000. */
  maxQuotes?: number | undefined;
  /** How many executed quotes are remembered at least, to count repetitions exactly; default 1,000,000. */
  ledger?: number | undefined;
  /** Default: runs at real speed from `startAt`. */
  clock?: SandboxClock | undefined;
};

const wrong = (what: string): never => {
  throw new RangeError(`sandbox: ${what}`);
};

const above = (name: string, value: number | undefined, least: number, fallback: number): number => {
  const number = value ?? fallback;
  return Number.isFinite(number) && number >= least
    ? number
    : wrong(`${name} must be a number of at least ${least}`);
};

const urlOf = (url: string): string =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? url
    : wrong(`${url} is not an http or https URL`);

const signingOf = (signing: Signing | undefined): Signing | null => {
  if (!signing) return null;
  if (signing.secret === "") wrong("signing needs a secret");
  try {
    validateHeaderName(signing.header);
    validateHeaderValue(signing.header, signing.prefix + (signing.scheme === "header" ? signing.secret : ""));
  } catch {
    wrong("header, prefix and secret of signing must be fit for an HTTP header");
  }
  return signing;
};

const logRulesOf = (rules: Partial<LogRules> | undefined): LogRules => {
  try {
    return changedLogRules(defaultLogRules, rules ?? {});
  } catch (error) {
    return wrong(error instanceof WrongInput ? `log: ${error.message}` : String(error));
  }
};

// 09:00 on a Monday in São Paulo.
const seededStart = Date.parse("2026-01-05T12:00:00Z");

/** Fills in the defaults. Throws a RangeError that names the invalid option. */
export const settingsFrom = (options: SandboxOptions) => {
  const timeScale = options.timeScale ?? 1;
  if (!(Number.isFinite(timeScale) && timeScale > 0)) wrong("timeScale must be a number above 0");
  const story = options.story ?? null;
  const startAt = options.startAt ?? (story && options.seed !== undefined ? seededStart : Date.now());
  const history = Math.trunc(above("history", options.history, 1, 5_000));
  return {
    host: options.host ?? "127.0.0.1",
    port: above("port", options.port, 0, 0),
    timeScale,
    seed: options.seed ?? randomBytes(6).toString("hex"),
    startAt,
    clock: options.clock ?? runningClock(startAt),
    story,
    answers: options.answers ?? "plain",
    createdAtFormat: options.createdAtFormat ?? null,
    accessToken: options.accessToken || null,
    xToken: options.xToken || null,
    serviceName: options.serviceName || null,
    webhookUrls: (options.webhookUrls ?? []).map(urlOf),
    quoteValidityMs: above("quoteValidityMs", options.quoteValidityMs, 0, 24 * 3_600_000),
    stepMs: above("stepMs", options.stepMs, 0, 10 * 60_000),
    retryMs: above("retryMs", options.retryMs, 0, 15 * 60_000),
    jitter: Math.min(1, above("jitter", options.jitter, 0, 0.2)),
    repetition: options.repetition ?? "conflict",
    acceptUnknownQuotes: options.acceptUnknownQuotes ?? false,
    localQuotation: options.localQuotation ?? false,
    ignoreUnknownFields: options.ignoreUnknownFields ?? false,
    walk: options.walk ?? null,
    signing: signingOf(options.signing),
    log: logRulesOf(options.log),
    logEntries: Math.trunc(above("logEntries", options.logEntries, 1, 1_000_000)),
    history,
    maxQuotes: Math.trunc(above("maxQuotes", options.maxQuotes, 1, 50_000)),
    ledger: Math.trunc(above("ledger", options.ledger, 1, 1_000_000)),
  };
};

export type Settings = Readonly<ReturnType<typeof settingsFrom>>;
