import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";

/** Milliseconds since the epoch; both ends are included. */
export type Period = { fromMs: number; toMs: number };
/** The dates of a query, as YYYY-MM-DD. Nobody knows their time zone, nor whether the last day is included. */
export type DateRange = { startDate: string; endDate: string };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The outermost time zones in use: UTC-12 and UTC+14. */
const [WEST_MS, EAST_MS] = [-12 * HOUR_MS, 14 * HOUR_MS];

const utcDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const utcMidnight = (date: string): number => Date.parse(`${date}T00:00:00.000Z`);
const dayAfter = (date: string): string => utcDate(utcMidnight(date) + DAY_MS);

/** A range that covers the period in every time zone, even if the partner excludes the first or the last day. */
export const datesAround = ({ fromMs, toMs }: Period): DateRange => ({
  startDate: utcDate(fromMs + WEST_MS - DAY_MS),
  endDate: utcDate(toMs + EAST_MS + DAY_MS),
});

/** One range per day, from D to D+1: whichever end the partner excludes, each day but the outer two is covered. */
export const singleDays = ({ startDate, endDate }: DateRange): DateRange[] => {
  const days: DateRange[] = [];
  for (let day = startDate; day < endDate; day = dayAfter(day))
    days.push({ startDate: day, endDate: dayAfter(day) });
  return days;
};

/** The ranges to try in turn where an end in the future is refused: up to today in São Paulo, up to today in UTC. */
export const earlierRanges = ({ startDate, endDate }: DateRange, nowMs: number): DateRange[] =>
  [...new Set([dateIn(SAO_PAULO)(nowMs), utcDate(nowMs)])]
    .filter((today) => today >= startDate && today < endDate)
    .map((today) => ({ startDate, endDate: today }));

/** Whether the range begins after today in São Paulo. A partner that counts in UTC does not refuse the next day. */
export const isFuture = ({ startDate }: DateRange, nowMs: number): boolean =>
  startDate > dateIn(SAO_PAULO)(nowMs);

/** Whether an instant lies outside in every time zone. An entry may be listed by its sending, up to a day later. */
export const isOutside = ({ startDate, endDate }: DateRange, ms: number): boolean =>
  ms + EAST_MS + DAY_MS < utcMidnight(startDate) || ms + WEST_MS >= utcMidnight(endDate) + DAY_MS;

/** São Paulo lies three hours behind UTC, and lay two behind in the summers until 2019, which changed at midnight. */
const startOfDay = (date: string): number => {
  const inSummer = utcMidnight(date) + 2 * HOUR_MS;
  return dateIn(SAO_PAULO)(inSummer) === date ? inSummer : inSummer + HOUR_MS;
};

/** The period between two days in São Paulo, which are included and written as YYYY-MM-DD. */
export const periodOfDays = (from: string, to: string): Period => ({
  fromMs: startOfDay(from),
  toMs: startOfDay(dayAfter(to)) - 1,
});
