import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { fail, ok, warn, type Check } from "./check.ts";

/** A header's time has whole seconds, and the way takes some: less than this says nothing. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;
/** When this was written: an earlier time is none. */
const WRITTEN_MS = Date.parse("2026-01-01T00:00:00Z");

const TO_DO = "have this machine's clock set by NTP; if it is right, tell the partner";

/** Whether our clock can be right at all, and what day it says that it is for the partner. */
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
  // The header leaves out what has passed of its second.
  const aheadMs = nowMs - (theirs + 500);
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const detail = `ours is ${seconds} s ${aheadMs < 0 ? "behind" : "ahead"}`;
  if (Math.abs(aheadMs) < WARN_MS) return ok(name, "they agree");
  return Math.abs(aheadMs) < FAIL_MS
    ? warn(name, detail, TO_DO)
    : fail(
        name,
        `${detail}: around midnight in ${SAO_PAULO} an accept of today is refused as one of another day, or one of yesterday sent`,
        TO_DO,
      );
};
