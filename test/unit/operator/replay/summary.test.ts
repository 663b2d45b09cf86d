import { expect, test } from "vitest";
import type { LetterEnd } from "../../../../src/operator/replay/claims.ts";
import { failureText, replaySummary } from "../../../../src/operator/replay/summary.ts";

const linesOf = (...ends: LetterEnd[]): string[] => {
  const summary = replaySummary(false);
  ends.forEach(summary.add);
  return summary.lines();
};
const sent = (place: string): LetterEnd => ({ end: "sent", place });
const left: LetterEnd = { end: "left", reason: "still not understood" };
const unknown: LetterEnd = { end: "unknown", reason: "no answer within 10000 ms" };
const duplicate: LetterEnd = { end: "duplicate", eventId: "e" };

const LOOKS = "1 may have been written: run it again in a minute, and it looks before it sends";

test.each<[string, LetterEnd[], string[]]>([
  ["nothing", [left], ["Nothing was written.", "1 not sent"]],
  ["perhaps something", [unknown], ["Nothing is known to have been written.", LOOKS]],
  [
    "something, and perhaps more",
    [sent("t[0]@4"), sent("t[1]@2"), unknown],
    ["2 written to t, the first at t[0]@4, the last at t[1]@2", LOOKS],
  ],
  [
    "nothing but what was known",
    [duplicate],
    ["Nothing was written.", "1 notification had been published already"],
  ],
  [
    "nothing but what stood there",
    [{ end: "found", place: "t[0]@4" }, duplicate, duplicate],
    [
      "Nothing was written.",
      "1 stood there already, of a replay that did not finish",
      "2 notifications had been published already",
    ],
  ],
])("a replay wrote %s", (_, ends, lines) => {
  expect(linesOf(...ends)).toEqual(lines);
});

test("with --again nothing looks whether a letter stands there, so a person has to", () => {
  const summary = replaySummary(true);
  summary.add(unknown);
  expect(summary.lines()).toEqual([
    "Nothing is known to have been written.",
    "1 may have been written: look for them in their topics before you send them once more",
  ]);
});

test("a letter that may have been written is not called left", () => {
  expect(failureText("3/4711", left)).toBe("3/4711 was not replayed: still not understood.");
  expect(failureText("3/4711", unknown)).toBe(
    "3/4711 may have been replayed, or not: no answer within 10000 ms.",
  );
  expect([failureText("3/4711", sent("t[0]@4")), failureText("3/4711", duplicate)]).toEqual([null, null]);
});
