import { expect, test } from "vitest";
import { firstDayQuestions } from "../../../src/doctor/first-day.ts";
import { settingsOfStage } from "../../support/first-day.ts";
import { configOf } from "../config/environment.ts";

const stateOf = (settings: Record<string, string>) =>
  new Map(firstDayQuestions(configOf(settings), settings).map((row) => [row.settings, row.now]));

const { COMMANDS_MAX_AMOUNT = "" } = settingsOfStage("b");
const firstAccepts = { COMMANDS_MAX_AMOUNT, ...settingsOfStage("c") };

test("the defaults are loose or unanswered; the page's settings for the first accepts are tight", () => {
  const [before, after] = [stateOf({}), stateOf(firstAccepts)];
  expect(Object.keys(firstAccepts).length).toBeGreaterThanOrEqual(6);
  for (const name of Object.keys(firstAccepts)) {
    const settings = [...after.keys()].find((each) => each.split(", ").includes(name));
    expect(after.get(settings ?? ""), name).toBe("tight");
  }
  expect(before.get("COMMANDS_MAX_AMOUNT")).toBe("loose");
  for (const settings of [
    "PARTNER_MAX_RPS",
    "PARTNER_FAILED_WHEN",
    "PARTNER_RESULT_FIELDS, PARTNER_EVENT_FIELDS",
  ])
    expect(before.get(settings), settings).toBe("unanswered");
  expect(stateOf({ PARTNER_MAX_RPS: "10" }).get("PARTNER_MAX_RPS")).toBe("tight");
});
