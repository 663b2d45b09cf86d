import { expect, test } from "vitest";
import { firstDayQuestions } from "../../../src/doctor/first-day.ts";
import { configOf } from "../config/environment.ts";

const stateOf = (settings: Record<string, string>) =>
  new Map(firstDayQuestions(configOf(settings), settings).map((row) => [row.settings, row.now]));

test("the defaults are loose or unanswered, and what is set is tight", () => {
  const before = stateOf({});
  expect(before.get("COMMANDS_MAX_AMOUNT")).toBe("loose");
  for (const settings of [
    "PARTNER_MAX_RPS",
    "PARTNER_FAILED_WHEN",
    "PARTNER_RESULT_FIELDS, PARTNER_EVENT_FIELDS",
  ])
    expect(before.get(settings), settings).toBe("unanswered");
  expect(stateOf({ PARTNER_MAX_RPS: "10" }).get("PARTNER_MAX_RPS")).toBe("tight");
});
