/**
 * Reads createdAt as milliseconds since the epoch, if it is unambiguous:
 *  - ISO 8601 / RFC 3339 with `Z`, `UTC`, `GMT` or an offset (`+hh:mm`, `+hhmm`, `+hh`), any length of fraction, `T` or
 *    a space between, or without hyphens and colons. Brackets after it (RFC 9557, Java) do not change the instant;
 *  - seconds (10 digits before the point) or milliseconds (13 digits) since the epoch, as a number or a digit string.
 * Returns null for all else: local times, dates alone, dd/MM/yyyy, days that do not exist, ten digits that could be a
 * date and an hour (2026112112), and years beyond 1 to 9999 in UTC, which other languages cannot take.
 */
export const occurredAtOf = (createdAt: string): number | null => {
  if (createdAt.length > MAX_LENGTH) return null;
  const instant = fromIso(createdAt) ?? fromEpoch(createdAt);
  return instant !== null && instant >= FIRST_MS && instant <= LAST_MS ? instant : null;
};

const MAX_LENGTH = 100;
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");
const ISO =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)? ?(?:[Zz]|UTC|GMT|([+\u2212-])(\d\d)(?::?(\d\d))?)$/;
const BRACKETS = /(?:\[!?[\w.~/+:=-]+\])+$/;
const BASIC = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)/;
const EPOCH = /^([1-9]\d{9}|[1-9]\d{12})(?:\.(\d+))?$/;
const DATE_AND_HOUR = /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])$/;
const MINUTE_MS = 60_000;

const threeDigits = (fraction: string): string => `${fraction}000`.slice(0, 3);

/** Returns null for an instant that does not exist: Date reads February 30 as March 2, and 24:00 as the next day. */
const parseExactly = (text: string): number | null => {
  const date = new Date(text);
  return date.getUTCDate() === Number(text.slice(8, 10)) ? date.getTime() : null;
};

const fromIso = (text: string): number | null => {
  const parts = ISO.exec(text) ?? ISO.exec(text.replace(BRACKETS, "").replace(BASIC, "$1-$2-$3T$4:$5:$6"));
  if (parts === null) return null;
  const [, date, minutes, second = "00", fraction = "", sign, zoneHours = "0", zoneMinutes = "0"] = parts;
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return null;
  const offsetMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * MINUTE_MS * (sign === "+" ? 1 : -1);
  const local = parseExactly(`${date}T${minutes}:${second}.${threeDigits(fraction)}Z`);
  return local === null ? null : local - offsetMs;
};

const fromEpoch = (text: string): number | null => {
  if (DATE_AND_HOUR.test(text)) return null;
  const [, whole, fraction = ""] = EPOCH.exec(text) ?? [];
  if (whole?.length === 13) return Number(whole);
  return whole === undefined ? null : Number(whole) * 1000 + Number(threeDigits(fraction));
};
