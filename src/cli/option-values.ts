import { InvalidArgumentError, Option, type Command } from "commander";
import { isAddress } from "../config/addresses.ts";
import { readDuration } from "../config/kinds.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { readInstant } from "../runtime/instant.ts";

const DAY_MS = 86_400_000;

const isDuration = (text: string): boolean => /^\d+[a-z]+$/.test(text);
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

const day = (text: string): string => {
  const dayMs = isDay(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse takes February 30 for March 2.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(text))
    throw new InvalidArgumentError("It must be a day in the form YYYY-MM-DD.");
  return text;
};

export const durationMs = (text: string): number => {
  try {
    return readDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${messageOf(error)}.`);
  }
};

/** A time in the past: an instant, the beginning of a day in UTC, or an age. Milliseconds since the epoch. */
export const pastMs = (text: string): number => {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return systemClock.now() - Number(days) * DAY_MS;
  if (isDuration(text)) return systemClock.now() - durationMs(text);
  const ms = isDay(text) ? Date.parse(day(text)) : readInstant(text);
  if (ms === null)
    throw new InvalidArgumentError(
      "It must be an instant such as 2026-12-01T06:00:00Z, a day such as 2026-12-01, or how long ago: 24h, 7d.",
    );
  return ms;
};

export const sinceOption = (): Option =>
  new Option("--since <time>", "not older: an instant, a day in UTC, or an age (24h, 7d)")
    .argParser(pastMs)
    .default(pastMs("7d"), "7d");

export type Days = { from: string; to: string };

export const withDays = (command: Command, zone = ""): Command =>
  command
    .requiredOption("--from <day>", `first day, YYYY-MM-DD${zone}`, day)
    .requiredOption("--to <day>", "last day", day)
    .hook("preAction", () => {
      const { from, to } = command.opts<Days>();
      if (from > to) command.error("error: --from must not be later than --to");
    });

/** When something ends: at an instant as in RFC 3339, or so long after it began. */
export const endOf = (text: string): { untilMs: number } | { forMs: number } => {
  if (isDuration(text)) return { forMs: durationMs(text) };
  const untilMs = readInstant(text);
  if (untilMs === null)
    throw new InvalidArgumentError(
      "It must be an instant such as 2026-12-01T06:00:00-03:00, or a duration such as 30m.",
    );
  return { untilMs };
};

export const positiveNumber = (text: string): number => {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 9999999.");
};

/** Where the partner sends notifications to. A server would not see a fragment. */
export const webhookUrl = (text: string): URL => {
  if (!isAddress(text) || text.includes("#"))
    throw new InvalidArgumentError("It must be an http or https address without a fragment.");
  return new URL(text);
};
