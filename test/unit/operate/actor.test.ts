import { describe, expect, test } from "vitest";
import {
  authorize,
  Forbidden,
  isSamePerson,
  MAX_TEXT_LENGTH,
  type Actor,
} from "../../../src/operate/actor.ts";

const ana: Actor = {
  by: "ana",
  role: "operator",
  note: "why",
  from: { host: "h", user: "u", program: "cli" },
};

describe("a person who acts", () => {
  test("must be an operator", () => {
    expect(() => authorize(ana)).not.toThrow();
    expect(() => authorize({ ...ana, role: "viewer" })).toThrow(Forbidden);
  });

  test.each([
    ["no name", { by: "" }],
    ["a blank name", { by: " \t" }],
    ["no note", { note: "" }],
    ["a long name", { by: "a".repeat(MAX_TEXT_LENGTH + 1) }],
    ["a long note", { note: "a".repeat(MAX_TEXT_LENGTH + 1) }],
  ])("is refused with %s", (_, more) => {
    expect(() => authorize({ ...ana, ...more })).toThrow("the name and the note must be there");
  });
});

test.each(["Ana", " ana ", "ＡＮＡ", "an\u00ada", "ana\u200b", "\u2060ana"])(
  "%j is another spelling of ana",
  (name) => {
    expect(isSamePerson(name, "ana")).toBe(true);
  },
);

test.each([
  ["straße", "STRASSE", true],
  ["ana  lima", "Ana Lima", true],
  ["ana", "anna", false],
  ["ana", "bob", false],
])("%j and %j: %s", (a, b, same) => expect(isSamePerson(a, b)).toBe(same));
