import { expect, test } from "vitest";
import { compareClocks } from "../../../src/doctor/clocks.ts";
import { configOf } from "../config/environment.ts";

const NOW_MS = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const config = configOf({});

/** The line about a clock of ours that is so many seconds ahead. */
const said = (aheadS: number, of = config): string => {
  const theirs = new Date(NOW_MS - aheadS * 1_000).toUTCString();
  const { status, detail } = compareClocks(theirs, NOW_MS + 500, of);
  return `${status} ${detail}`;
};

test.each([
  [3, "ok they agree"],
  [20, "warn ours is 20 s ahead"],
  [-20, "warn ours is 20 s behind"],
])("%i s ahead", (seconds, line) => {
  expect(said(seconds)).toBe(line);
});

test.each([
  [90, "90 s ahead"],
  [-10 * MINUTE, "10 min behind"],
  [3 * HOUR, "3 h ahead"],
  [-90 * MINUTE, "1 h 30 min behind"],
  [-7 * DAY, "7 d behind"],
  [30 * HOUR, "1 d 6 h ahead"],
])("a difference of %i s is told in units that suit it", (seconds, words) => {
  expect(said(seconds)).toMatch(
    new RegExp(`^fail ours is ${words}: around midnight in America/Sao_Paulo today's accepts`),
  );
});

test("what commands come to: too old ahead of COMMANDS_MAX_AGE, and accepts from the future behind 5 min", () => {
  const tooOld = "every command is refused as COMMAND_TOO_OLD (COMMANDS_MAX_AGE is 15 min)";
  const fromFuture = "every accept is refused as INVALID_COMMAND";
  expect(said(16 * MINUTE)).toContain(tooOld);
  expect(said(14 * MINUTE)).not.toContain("COMMAND_TOO_OLD");
  expect(said(-6 * MINUTE)).toContain(fromFuture);
  expect(said(-4 * MINUTE)).not.toContain("INVALID_COMMAND");
  expect(said(-DAY)).not.toContain("COMMAND_TOO_OLD");
  expect(said(16 * MINUTE, configOf({ COMMANDS_MAX_AGE: "1h" }))).not.toContain("COMMAND_TOO_OLD");
  const others = configOf({ FLOWS: "webhooks,reconcile" });
  for (const seconds of [DAY, -DAY]) expect(said(seconds, others)).not.toMatch(/_COMMAND|COMMAND_/);
});

test("with standard-webhooks every webhook is refused, beyond WEBHOOK_TOLERANCE", () => {
  const signed = { WEBHOOK_AUTH: "standard-webhooks", WEBHOOK_SECRET: "whsec_c2VjcmV0LXNlY3JldA==" };
  const refused = "every webhook is refused (WEBHOOK_TOLERANCE is 5 min)";
  for (const seconds of [6 * MINUTE, -6 * MINUTE]) {
    expect(said(seconds, configOf(signed))).toContain(refused);
    expect(said(seconds)).not.toContain("webhook");
  }
  expect(said(4 * MINUTE, configOf(signed))).not.toContain("webhook");
});

test("whole hours look like a wrong time zone", () => {
  const zone = "looks like a wrong time zone setting of the machine's clock";
  for (const seconds of [HOUR, -3 * HOUR, 3 * HOUR + 90, 14 * HOUR]) expect(said(seconds)).toContain(zone);
  for (const seconds of [2 * MINUTE, 3 * HOUR + 5 * MINUTE, 7 * DAY, 20 * HOUR])
    expect(said(seconds)).not.toContain(zone);
});
