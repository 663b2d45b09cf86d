import { expect, test } from "vitest";
import { authorize, isSamePerson, MAX_TEXT_LENGTH, type Actor } from "../../../src/operate/actor.ts";

const ana: Actor = {
  by: "ana",
  role: "operator",
  note: "why",
  from: { host: "h", user: "u", program: "cli" },
};

test.each([
  ["no name", { by: "" }],
  ["a blank name", { by: " \t" }],
  ["a long name", { by: "a".repeat(MAX_TEXT_LENGTH + 1) }],
  ["a long note", { note: "a".repeat(MAX_TEXT_LENGTH + 1) }],
])("a person who acts is refused with %s", (_, more) => {
  expect(() => authorize({ ...ana, ...more })).toThrow("the name and the note must be there");
});

test.each([
  ["an\u00ada", "ana", true],
  ["\u2060ana", "ana", true],
  ["straße", "STRASSE", true],
  ["ana", "anna", false],
])("%j and %j are one person: %s", (a, b, same) => expect(isSamePerson(a, b)).toBe(same));
