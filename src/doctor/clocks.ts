import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { fail, ok, warn, type Check } from "./check.ts";

/** The Date header has whole seconds, and the request takes time: a smaller difference says nothing. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;
/** An earlier time cannot be right. */
const WRITTEN_MS = Date.parse("2026-01-01T00:00:00Z");

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const REMEDY =
  "have this machine's clock set by NTP, and see its time zone setting; if it is right, tell the partner";

/** Whether our clock can be right at all, and which day it is for the partner. */
export const checkOwnClock = (nowMs: number): Check => {
  const detail = `it says ${new Date(nowMs).toISOString()}, which is ${dateIn(SAO_PAULO)(nowMs)} in ${SAO_PAULO}`;
  return nowMs < WRITTEN_MS
    ? fail("own clock", `${detail}: that is in the past`, "have it set by NTP")
    : ok("own clock", detail);
};

/** In units that suit its length: 90 s, 10 min, 3 h. */
const roughly = (ms: number): string => {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 1_000)} s`;
  return ms < 2 * HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${Math.round(ms / HOUR_MS)} h`;
};

/** Our clock against the partner's Date header. @param nowMs halfway between request and answer */
export const compareClocks = (date: unknown, nowMs: number): Check => {
  const name = "clock against the partner's";
  const theirs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(theirs))
    return warn(
      name,
      "its answer has no Date header to compare with",
      "see that this machine's clock is set by NTP",
    );
  // The header cuts off fractions of a second: on average half of one.
  const aheadMs = nowMs - (theirs + 500);
  const ms = Math.abs(aheadMs);
  if (ms < WARN_MS) return ok(name, "they agree");
  const detail = `ours is ${roughly(ms)} ${aheadMs < 0 ? "behind" : "ahead"}`;
  return ms < FAIL_MS
    ? warn(name, detail, REMEDY)
    : fail(
        name,
        `${detail}: around midnight in ${SAO_PAULO} today's accepts may be refused, yesterday's sent; if ours is the wrong one, commands (COMMANDS_MAX_AGE) and signed webhooks (WEBHOOK_TOLERANCE) may be refused for their age`,
        REMEDY,
      );
};
