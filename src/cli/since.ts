import { InvalidArgumentError } from "commander";
import { systemClock } from "../runtime/clock.ts";
import { readInstant } from "../runtime/instant.ts";
import { day } from "./day.ts";
import { durationMs } from "./duration.ts";

const DAY_MS = 86_400_000;

/** A time that is over: an instant, the beginning of a day in UTC, or how long ago it was. Milliseconds since the epoch. */
export const pastMs = (text: string): number => {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return systemClock.now() - Number(days) * DAY_MS;
  if (/^\d+[a-z]+$/.test(text)) return systemClock.now() - durationMs(text);
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(day(text)) : readInstant(text);
  if (ms === null)
    throw new InvalidArgumentError(
      "It must be an instant such as 2026-12-01T06:00:00Z, a day such as 2026-12-01, or how long ago: 24h, 7d.",
    );
  return ms;
};
