import { randomBytes } from "node:crypto";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { createdAtFormats, type CreatedAtFormat } from "./api/answers/created-at.ts";
import { profileNames, type ProfileName } from "./api/answers/profiles.ts";
import { changedLogRules, usualLogRules, type LogRules } from "./api/log/log-rules.ts";
import type { Signing } from "./notifications/sign.ts";
import { runningClock, type SandboxClock } from "./runtime/clock.ts";
import { WrongInput } from "./runtime/wrong-input.ts";
import { storyNames, type StoryName } from "./stories.ts";
import { walkNames, type Walk } from "./transactions/walks.ts";

/** How an accept is answered whose quote was accepted before. */
export const repetitions = ["conflict", "same", "again"] as const;
export type Repetition = (typeof repetitions)[number];

/** All durations are milliseconds of the partner's time: the time scale divides them, unless it says "real". */
export type SandboxOptions = {
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Divides every duration of the partner's; default 1. */
  timeScale?: number | undefined;
  /** Ids, jitter and the dice of faults come from it; random by default. */
  seed?: string | undefined;
  /** Where the clock begins; default: now, or a fixed morning where a story and a seed are given. */
  startAt?: number | undefined;
  story?: StoryName | undefined;
  answers?: ProfileName | undefined;
  /** Default: the one of the answers profile. */
  createdAtFormat?: CreatedAtFormat | undefined;
  /** The token that must come as `Authorization: Bearer …`; any when empty or left out. */
  accessToken?: string | undefined;
  /** The token that must come as `x-token`; any when empty or left out. */
  xToken?: string | undefined;
  /** What must follow the last hyphen of User-Agent; any when left out. */
  serviceName?: string | undefined;
  /** Subscribed from the start. */
  webhookUrls?: readonly string[] | undefined;
  /** Default a day, so that the same-day rule is what ends a quote. */
  quoteValidityMs?: number | undefined;
  /** Mean time between two statuses of a transaction; default 10 minutes. */
  stepMs?: number | undefined;
  /** Mean time between two attempts to deliver; default 15 minutes. */
  retryMs?: number | undefined;
  /** How far steps and retries stray from their mean to either side; default 0.2. */
  jitter?: number | undefined;
  /** How long an attempt waits for the receiver's answer, in real milliseconds; default 10 seconds. */
  attemptTimeoutMs?: number | undefined;
  /** Default `conflict`. */
  repetition?: Repetition | undefined;
  /** Executes accepts of quotes that were never created, instead of refusing them; default false. */
  acceptUnknownQuotes?: boolean | undefined;
  /** The client uses the local quotation flow: accept must carry an amount; default false. */
  localQuotation?: boolean | undefined;
  /** Lets fields and query parameters pass that the specification does not know; default false. */
  ignoreUnknownFields?: boolean | undefined;
  /** The path transactions take; default `main`, or the story's. */
  walk?: Walk | undefined;
  /** Notifications are unsigned by default. */
  signing?: Signing | undefined;
  /** How the notification log is read and answered, as in PUT /_sandbox/log. */
  log?: Partial<LogRules> | undefined;
  /** How many notifications the log holds, the oldest being forgotten; default 1,000,000. */
  logEntries?: number | undefined;
  /** How many quotes, transactions, deliveries and requests each are kept to be looked at; default 5,000. */
  history?: number | undefined;
  /** How many quotes are known at most, the oldest being forgotten; default 50,000. */
  maxQuotes?: number | undefined;
  /** How many executed quotes are remembered at least, to count repetitions exactly; default 1,000,000. */
  ledger?: number | undefined;
  /** How many transactions walk at a time at most; one more stays at its first status. Default 100,000. */
  maxWalking?: number | undefined;
  /** Default: runs at real speed from `startAt`. */
  clock?: SandboxClock | undefined;
};

const wrong = (what: string): never => {
  throw new RangeError(`sandbox: ${what}`);
};

const oneOf = <T extends string>(name: string, value: T | undefined, known: readonly T[], fallback: T): T =>
  value === undefined
    ? fallback
    : known.includes(value)
      ? value
      : wrong(`${name} must be one of ${known.join(", ")}`);

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
    return changedLogRules(usualLogRules, rules ?? {});
  } catch (error) {
    return wrong(error instanceof WrongInput ? `log: ${error.message}` : String(error));
  }
};

// 09:00 on a Monday in São Paulo.
const seededStart = Date.parse("2026-01-05T12:00:00Z");

/** Fills in what was left out; throws a RangeError that names what is wrong. */
export const settingsFrom = (options: SandboxOptions) => {
  const timeScale = options.timeScale ?? 1;
  if (!(Number.isFinite(timeScale) && timeScale > 0)) wrong("timeScale must be a number above 0");
  const story =
    options.story === undefined ? null : oneOf("story", options.story, storyNames, "happy-outbound");
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
    answers: oneOf("answers", options.answers, profileNames, "plain"),
    createdAtFormat:
      options.createdAtFormat === undefined
        ? null
        : oneOf("createdAtFormat", options.createdAtFormat, createdAtFormats, "iso-millis"),
    accessToken: options.accessToken || null,
    xToken: options.xToken || null,
    serviceName: options.serviceName || null,
    webhookUrls: (options.webhookUrls ?? []).map(urlOf),
    quoteValidityMs: above("quoteValidityMs", options.quoteValidityMs, 0, 24 * 3_600_000),
    stepMs: above("stepMs", options.stepMs, 0, 10 * 60_000),
    retryMs: above("retryMs", options.retryMs, 0, 15 * 60_000),
    jitter: Math.min(1, above("jitter", options.jitter, 0, 0.2)),
    attemptTimeoutMs: above("attemptTimeoutMs", options.attemptTimeoutMs, 1, 10_000),
    repetition: oneOf("repetition", options.repetition, repetitions, "conflict"),
    acceptUnknownQuotes: options.acceptUnknownQuotes ?? false,
    localQuotation: options.localQuotation ?? false,
    ignoreUnknownFields: options.ignoreUnknownFields ?? false,
    walk: options.walk === undefined ? null : oneOf("walk", options.walk, walkNames, "main"),
    signing: signingOf(options.signing),
    log: logRulesOf(options.log),
    logEntries: Math.trunc(above("logEntries", options.logEntries, 1, 1_000_000)),
    history,
    maxQuotes: Math.trunc(above("maxQuotes", options.maxQuotes, 1, 50_000)),
    ledger: Math.trunc(above("ledger", options.ledger, 1, 1_000_000)),
    maxWalking: above("maxWalking", options.maxWalking, 0, 100_000),
  };
};

export type Settings = Readonly<ReturnType<typeof settingsFrom>>;
