import { expect, test } from "vitest";
import { readNote, writeNote } from "../../../../src/log-to-events/wire/note.ts";

const COMPLETE_AT = "2026-11-21T12:00:03.000Z";
const WHOLE_AT = "2026-11-21T12:00:00.000Z";
const [completeAtMs, wholeAtMs] = [Date.parse(COMPLETE_AT), Date.parse(WHOLE_AT)];

test("a note says when the last complete run ended, and when the last whole one began", () => {
  const text = writeNote({ completeAtMs, wholeAtMs });
  expect(JSON.parse(text)).toEqual({ completeAt: COMPLETE_AT, wholeAt: WHOLE_AT });
  expect(readNote(text)).toEqual({ completeAtMs, wholeAtMs });
  expect(readNote(writeNote({ completeAtMs: null, wholeAtMs }))).toEqual({ completeAtMs: null, wholeAtMs });
});

test("a note of version 0.3.0, with the end only, says that the run began within a day before", () => {
  const note = readNote(JSON.stringify({ completeAt: COMPLETE_AT }));
  expect(note).toEqual({ completeAtMs, wholeAtMs: completeAtMs - 86_400_000 });
});

test.each(["", "null", "5", "[]", "3@a", '{"completeAt":5,"wholeAt":"yesterday"}'])(
  "%j says nothing",
  (text) => {
    expect(readNote(text)).toEqual({ completeAtMs: null, wholeAtMs: null });
  },
);
