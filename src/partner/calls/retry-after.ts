/** Upper bound of a requested wait. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

const SECONDS = /^\d{1,15}$/;
/** The three date forms of HTTP (RFC 9110, 5.6.7). All are in GMT; asctime does not say so. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;
const RFC_850_DATE = /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} [\d:]{8} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

const instantOf = (text: string): number => {
  if (ASCTIME_DATE.test(text)) return Date.parse(`${text} GMT`);
  return DATE.test(text) || RFC_850_DATE.test(text) ? Date.parse(text) : Number.NaN;
};

/**
 * How long the partner asks to wait, in milliseconds, from Retry-After in seconds or as an HTTP date.
 * @returns null if the header is absent or unreadable
 */
export const readRetryAfter = (header: string | string[] | undefined, nowMs: number): number | null => {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  const ms = SECONDS.test(text) ? Number(text) * 1000 : instantOf(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
};
