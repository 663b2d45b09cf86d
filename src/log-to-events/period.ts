import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";

/** A stretch of time; both ends belong to it. */
export type Window = { fromMs: number; toMs: number };
/** What the log is asked for: days as YYYY-MM-DD, of a zone that is not known; nor is known whether the end belongs to it. */
export type Dates = { startDate: string; endDate: string };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The zones in use: UTC-12 has the earliest date, UTC+14 the latest. */
const WEST_MS = -12 * HOUR_MS;
const EAST_MS = 14 * HOUR_MS;

const utcDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const utcMidnight = (date: string): number => Date.parse(`${date}T00:00:00.000Z`);
const dayAfter = (date: string): string => utcDate(utcMidnight(date) + DAY_MS);

/** Dates that hold the window in every zone, though the first or the last day should be left out. */
export const datesOf = ({ fromMs, toMs }: Window): Dates => ({
  startDate: utcDate(fromMs + WEST_MS - DAY_MS),
  endDate: utcDate(toMs + EAST_MS + DAY_MS),
});

/** The same by single days, each asked as D to D+1. All but the first and the last day are told by one of them, whichever ends are left out. */
export const singleDays = ({ startDate, endDate }: Dates): Dates[] => {
  const days: Dates[] = [];
  for (let day = startDate; day < endDate; day = dayAfter(day))
    days.push({ startDate: day, endDate: dayAfter(day) });
  return days;
};

/**
 * What to ask one after the other when the partner refuses an end in the future: the dates as they are, then up to today in São Paulo, then in UTC.
 * Where the dates begin after today, only as they are: a partner that refuses them has nothing of them.
 */
export const endsToTry = ({ startDate, endDate }: Dates, nowMs: number): Dates[] => {
  const earlier = [dateIn(SAO_PAULO)(nowMs), utcDate(nowMs)].filter(
    (today) => today >= startDate && today < endDate,
  );
  return [...new Set([endDate, ...earlier])].map((end) => ({ startDate, endDate: end }));
};

/** Whether the dates begin after today, in São Paulo and in UTC. */
export const isFuture = ({ startDate }: Dates, nowMs: number): boolean => startDate > utcDate(nowMs);

/**
 * Whether an instant lies outside of the dates in every zone. An entry may be listed by the time of sending, which is at most a day after the change.
 */
export const isOutside = ({ startDate, endDate }: Dates, ms: number): boolean =>
  ms + EAST_MS + DAY_MS < utcMidnight(startDate) || ms + WEST_MS >= utcMidnight(endDate) + DAY_MS;

const isDate = (text: string): boolean =>
  /^2\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(utcMidnight(text)) && utcDate(utcMidnight(text)) === text;

/** São Paulo lies three hours behind UTC, and lay two behind in the summers until 2019, which began and ended at midnight. */
const startOfDay = (date: string): number => {
  const inSummer = utcMidnight(date) + 2 * HOUR_MS;
  return dateIn(SAO_PAULO)(inSummer) === date ? inSummer : inSummer + HOUR_MS;
};

/** The window of days in São Paulo, both included. Null where one is no date, or they are in the wrong order. */
export const windowOfDays = (from: string, to: string): Window | null =>
  isDate(from) && isDate(to) && from <= to
    ? { fromMs: startOfDay(from), toMs: startOfDay(dayAfter(to)) - 1 }
    : null;
