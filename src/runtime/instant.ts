/** The range of a JavaScript `Date`: so many milliseconds before or after the Unix epoch. */
export const MAX_INSTANT_MS = 8.64e15;

const RFC_3339 =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt](?<time>(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(?<fraction>\d+))?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/;

/**
 * Reads an RFC 3339 date-time. The zone is required, the day must exist, digits beyond milliseconds are cut
 * off.
 * @returns milliseconds since the Unix epoch; null for anything else
 */
export const readInstant = (text: string): number | null => {
  const { date, time, fraction = "", sign, hours, minutes } = RFC_3339.exec(text)?.groups ?? {};
  if (date === undefined || time === undefined) return null;
  const local = Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}Z`);
  // Date.parse turns 30 February into a day in March.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(date)) return null;
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === "-" ? local + offsetMs : local - offsetMs;
};

/** ISO 8601 in UTC, to the millisecond; the number where it is out of range, as timestamps of records may be. */
export const iso = (ms: number): string =>
  Math.abs(ms) <= MAX_INSTANT_MS ? new Date(ms).toISOString() : String(ms);

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
