import type { Config } from "../config/config.ts";
import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { formatDuration } from "../runtime/duration.ts";
import { fail, ok, warn, type Check } from "./check.ts";

/** The Date header has whole seconds, and the request takes time: a smaller difference says nothing. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;
/** An earlier time cannot be right. */
const WRITTEN_MS = Date.parse("2026-01-01T00:00:00Z");

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** An accept that was issued later than this is refused. */
const MAX_AHEAD_MS = 5 * MINUTE_MS;
/** The widest difference between two time zones that people mix up: of one to UTC. */
const MAX_ZONE_MS = 14 * HOUR_MS;
const ZONE_TOLERANCE_MS = 2 * MINUTE_MS;

const REMEDY = "have this machine's clock set by NTP; if it is right, tell the partner";

/** Whether our clock can be right at all, and which day it is for the partner. */
export const checkOwnClock = (nowMs: number): Check => {
  const detail = `it says ${new Date(nowMs).toISOString()}, which is ${dateIn(SAO_PAULO)(nowMs)} in ${SAO_PAULO}`;
  return nowMs < WRITTEN_MS
    ? fail("own clock", `${detail}: that is in the past`, "have it set by NTP")
    : ok("own clock", detail);
};

/** In units that suit its length: 90 s, 10 min, 3 h, 7 d. */
const roughly = (ms: number): string => {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 1_000)} s`;
  const unitMs = ms < DAY_MS ? MINUTE_MS : HOUR_MS;
  return formatDuration(Math.round(ms / unitMs) * unitMs).replace(/ 0 \w+$/, "");
};

/** Whether a clock that is set to local time, and taken for UTC, is off by this. */
const looksLikeTimeZone = (ms: number): boolean =>
  ms > HOUR_MS / 2 &&
  ms < MAX_ZONE_MS + ZONE_TOLERANCE_MS &&
  Math.abs(ms - Math.round(ms / HOUR_MS) * HOUR_MS) <= ZONE_TOLERANCE_MS;

/** What follows from a difference of more than a minute. */
const consequences = (aheadMs: number, { bridge, commands, webhook }: Config): string[] => {
  const ms = Math.abs(aheadMs);
  const hasCommands = bridge.flows.includes("commands");
  const isSigned = bridge.flows.includes("webhooks") && webhook.auth === "standard-webhooks";
  return [
    `around midnight in ${SAO_PAULO} today's accepts may be refused, yesterday's sent`,
    ...(hasCommands && aheadMs > commands.maxAgeMs
      ? [
          `if ours is the wrong one, every command is refused as COMMAND_TOO_OLD (COMMANDS_MAX_AGE is ${roughly(commands.maxAgeMs)})`,
        ]
      : []),
    ...(hasCommands && -aheadMs > MAX_AHEAD_MS
      ? [
          "if ours is the wrong one, every accept is refused as INVALID_COMMAND, issued more than 5 min in the future",
        ]
      : []),
    ...(isSigned && ms > webhook.toleranceMs
      ? [`every webhook is refused (WEBHOOK_TOLERANCE is ${roughly(webhook.toleranceMs)})`]
      : []),
    ...(looksLikeTimeZone(ms)
      ? ["a difference of whole hours looks like a wrong time zone setting of the machine's clock"]
      : []),
  ];
};

/** Our clock against the partner's Date header. @param nowMs halfway between request and answer */
export const compareClocks = (date: unknown, nowMs: number, config: Config): Check => {
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
  const detail = `ours is ${roughly(ms)} ${aheadMs < 0 ? "behind" : "ahead"}`;
  if (ms < WARN_MS) return ok(name, "they agree");
  return ms < FAIL_MS
    ? warn(name, detail, REMEDY)
    : fail(name, `${detail}: ${consequences(aheadMs, config).join("; ")}`, REMEDY);
};
