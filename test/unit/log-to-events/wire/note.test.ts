import { expect, test } from "vitest";
import { completeAt, readNote, writeNote } from "../../../../src/log-to-events/wire/note.ts";

const COMPLETE_AT = "2026-11-21T12:00:03.000Z";
const WHOLE_AT = "2026-11-21T12:00:00.000Z";
const completeAtMs = Date.parse(COMPLETE_AT);
const wholeAtMs = Date.parse(WHOLE_AT);

test("a note says when the last complete run ended, and when the last whole one began", () => {
  const text = writeNote({ completeAtMs, wholeAtMs });
  expect(JSON.parse(text)).toEqual({ completeAt: COMPLETE_AT, wholeAt: WHOLE_AT });
  expect(readNote(text)).toEqual({ completeAtMs, wholeAtMs });
  expect(readNote(writeNote({ completeAtMs: null, wholeAtMs }))).toEqual({ completeAtMs: null, wholeAtMs });
});

test("of an older version's note, which has only the end, that counts as the beginning", () => {
  const note = readNote(JSON.stringify({ completeAt: COMPLETE_AT }));
  expect(note).toEqual({ completeAtMs, wholeAtMs: completeAtMs });
});

test.each(["", "null", "5", "[]", "3@a", '{"completeAt":5,"wholeAt":"yesterday"}'])(
  "%j says nothing",
  (text) => {
    expect(readNote(text)).toEqual({ completeAtMs: null, wholeAtMs: null });
  },
);

test("an end that lies ahead of the clock is not known: it was noted while a clock was wrong", () => {
  const note = { completeAtMs, wholeAtMs };
  expect(completeAt(note, completeAtMs + 1)).toBe(completeAtMs);
  expect(completeAt(note, completeAtMs - 60_000)).toBe(completeAtMs);
  expect(completeAt(note, completeAtMs - 3_600_000)).toBeNull();
  expect(completeAt({ ...note, completeAtMs: null }, completeAtMs)).toBeNull();
});
