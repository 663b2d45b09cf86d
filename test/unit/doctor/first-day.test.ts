import { expect, test } from "vitest";
import { firstDayQuestions } from "../../../src/doctor/first-day.ts";
import { textOf } from "../../support/documents.ts";
import { settingsOfStage } from "../../support/first-day.ts";
import { runCommand } from "../cli/run-command.ts";
import { complete, configOf } from "../config/environment.ts";

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

test("the page asks for every setting that a question is about, and the program prints them", async () => {
  const page = textOf("docs/first-day.md");
  for (const { settings } of firstDayQuestions(configOf({}), {}))
    for (const name of settings.split(", "))
      expect(name.startsWith("PARTNER_LOG_") ? "PARTNER_LOG_…" : name, name).toSatisfy((text: string) =>
        page.includes(text),
      );
  const { code, out } = await runCommand(complete, ["doctor", "--first-day", "--json"]);
  expect(code).toBe(0);
  const rows = out.split("\n").map((line) => JSON.parse(line) as { question: string });
  expect(rows).toEqual(firstDayQuestions(configOf({}), complete));
  const forPeople = await runCommand({ ...complete, PARTNER_KEEP_ALIVE: "4s" }, ["doctor", "--first-day"]);
  expect(forPeople.out).toContain("now PARTNER_KEEP_ALIVE=4s; for the first day: 0: each accept");
});
