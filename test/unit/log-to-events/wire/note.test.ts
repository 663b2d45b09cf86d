import { expect, test } from "vitest";
import { readNote, writeNote } from "../../../../src/log-to-events/wire/note.ts";

const COMPLETE_AT = "2026-11-21T12:00:03.000Z";

test("a note says when the last complete run ended", () => {
  const text = writeNote(Date.parse(COMPLETE_AT));
  expect(JSON.parse(text)).toEqual({ completeAt: COMPLETE_AT });
  expect(readNote(text)).toBe(Date.parse(COMPLETE_AT));
});

test.each(["", "null", "5", "[]", "3@a", '{"completeAt":5}', '{"completeAt":"yesterday"}'])(
  "%j says nothing",
  (text) => {
    expect(readNote(text)).toBeNull();
  },
);
