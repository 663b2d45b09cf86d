/** The range of a JavaScript `Date`: so many milliseconds before or after the Unix epoch. */
export const MAX_INSTANT_MS = 8.64e15;

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** Reads an RFC 3339 date-time with its zone; digits beyond milliseconds are cut off. Null for anything else. */
export const readInstant = (text: string): number | null => {
  const [, date] = RFC_3339.exec(text) ?? [];
  if (date === undefined) return null;
  const dayMs = Date.parse(date);
  // Date.parse turns 30 February into a day in March.
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(date);
  // Date.parse misreads a fraction of many digits that begins with zeros.
  return isDay ? Date.parse(text.toUpperCase().replace(/(\.\d{3})\d+/, "$1")) : null;
};

/** ISO 8601 in UTC, to the millisecond; the number where it is out of range, as timestamps of records may be. */
export const iso = (ms: number): string =>
  Math.abs(ms) <= MAX_INSTANT_MS ? new Date(ms).toISOString() : String(ms);

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
