/**
 * Reads the partner's createdAt as an instant, where it has one meaning only:
 *  - ISO 8601 / RFC 3339 date and time with `Z` or an offset (`+hh:mm`, `+hhmm`, `+hh`), any length of fraction, `T` or a space
 *    between, Java's `[Region/City]` after it;
 *  - seconds (10 digits before the point) or milliseconds (13 digits) since the Unix epoch, as a number or a digit string.
 * Everything else is null: local times, dates alone, dd/MM/yyyy, days that do not exist, and ten digits that are also a date
 * and an hour (2026112112).
 */
export const occurredAtOf = (createdAt: string): number | null => {
  if (createdAt.length > MAX_LENGTH) return null;
  return fromIso(createdAt) ?? fromEpoch(createdAt);
};

const MAX_LENGTH = 100;
/** Up to the minute everything stands in its place. */
const ISO =
  /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)(?:\[[\w/+-]+\])?$/;
const AFTER_MINUTE = 16;
const AFTER_SECOND = 19;
const EPOCH = /^([1-9]\d{9}|[1-9]\d{12})(?:\.(\d+))?$/;
const EPOCH_WITH_EXPONENT = /^[1-9](?:\.\d+)?[eE]\+?0?(9|12)$/;
const DATE_AND_HOUR = /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])$/;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

// Date.UTC takes years below 100 for 19xx; the calendar repeats every 400 years of 146,097 days.
const midnightOf = (year: number, month: number, day: number): number =>
  Date.UTC(2000 + (year % 400), month - 1, day) + (Math.floor(year / 400) - 5) * 146_097 * DAY_MS;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const daysIn = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0);

const firstThreeDigits = (fraction: string): number => Number(`${fraction}000`.slice(0, 3));

const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 48;
const isDigit = (text: string, at: number): boolean => digitAt(text, at) >= 0 && digitAt(text, at) <= 9;
const twoDigits = (text: string, at: number): number => 10 * digitAt(text, at) + digitAt(text, at + 1);

/** Hours and minutes of the offset from UTC that is written at `at`. */
const offsetAt = (text: string, at: number): { sign: number; hour: number; minute: number } => {
  const sign = text[at] === "-" ? -1 : text[at] === "+" ? 1 : 0;
  if (sign === 0) return { sign, hour: 0, minute: 0 };
  const minute = text[at + 3] === ":" ? at + 4 : at + 3;
  return { sign, hour: twoDigits(text, at + 1), minute: isDigit(text, minute) ? twoDigits(text, minute) : 0 };
};

// By place: the groups of a regular expression cost three times as much.
const fromIso = (text: string): number | null => {
  if (!ISO.test(text)) return null;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  const [hour, minute] = [twoDigits(text, 11), twoDigits(text, 14)];
  const hasSecond = text[AFTER_MINUTE] === ":";
  const second = hasSecond ? twoDigits(text, AFTER_MINUTE + 1) : 0;
  let zone = hasSecond ? AFTER_SECOND : AFTER_MINUTE;
  const fraction = zone + 1;
  if (text[zone] === "." || text[zone] === ",") {
    zone = fraction;
    while (isDigit(text, zone)) zone += 1;
  }
  const offset = offsetAt(text, zone);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60 || offset.hour > 23 || offset.minute > 59) return null;
  const offsetMinutes = (offset.hour * 60 + offset.minute) * offset.sign;
  const minuteStart = midnightOf(year, month, day) + (hour * 60 + minute - offsetMinutes) * MINUTE_MS;
  // A leap second ends a UTC day; it is read as the first instant of the next, since the epoch does not count it.
  if (second === 60) return (minuteStart + MINUTE_MS) % DAY_MS === 0 ? minuteStart + MINUTE_MS : null;
  return minuteStart + second * 1000 + firstThreeDigits(text.slice(fraction, zone));
};

const fromEpoch = (text: string): number | null => {
  if (DATE_AND_HOUR.test(text)) return null;
  const [, whole, fraction = ""] = EPOCH.exec(text) ?? [];
  if (whole?.length === 13) return Number(whole);
  if (whole !== undefined) return Number(whole) * 1000 + firstThreeDigits(fraction);
  // Java writes a floating-point 1763726400123 as 1.763726400123E12.
  const exponent = EPOCH_WITH_EXPONENT.exec(text)?.[1];
  if (exponent === undefined) return null;
  return Math.round(Number(text) * (exponent === "9" ? 1000 : 1));
};
