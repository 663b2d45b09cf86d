import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { fail, ok, warn, type Check } from "./check.ts";

/** The Date header has whole seconds, and the request takes time: a smaller difference says nothing. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;
/** An earlier time cannot be right. */
const WRITTEN_MS = Date.parse("2026-01-01T00:00:00Z");

const REMEDY = "have this machine's clock set by NTP; if it is right, tell the partner";

/** Whether our clock can be right at all, and which day it is for the partner. */
export const checkOwnClock = (nowMs: number): Check => {
  const detail = `it says ${new Date(nowMs).toISOString()}, which is ${dateIn(SAO_PAULO)(nowMs)} in ${SAO_PAULO}`;
  return nowMs < WRITTEN_MS
    ? fail("own clock", `${detail}: that is in the past`, "have it set by NTP")
    : ok("own clock", detail);
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
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const detail = `ours is ${seconds} s ${aheadMs < 0 ? "behind" : "ahead"}`;
  if (Math.abs(aheadMs) < WARN_MS) return ok(name, "they agree");
  return Math.abs(aheadMs) < FAIL_MS
    ? warn(name, detail, REMEDY)
    : fail(
        name,
        `${detail}: around midnight in ${SAO_PAULO} an accept of today is refused as one of another day, or one of yesterday sent`,
        REMEDY,
      );
};
