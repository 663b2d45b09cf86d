import { expect, it } from "vitest";
import { recentEntries } from "../../../../src/bridge/journal-wiring/recent-entries.ts";
import type { Entry } from "../../../../src/commands-to-results/journal-rules/entry.ts";
import { claimed, concluded, released } from "../../commands-to-results/journal-rules/journal.ts";

const at = (offset: number, partition = 0) => ({ partition, offset });
const entryOf = (step: Entry["step"]): Entry => ({ operation: "ACCEPT_QUOTE", commandId: "c", step });
/** A conclusion of 256 KiB: fewer than 16 of them are kept. */
const large = entryOf({ ...concluded("a", "SUCCEEDED"), result: Buffer.alloc(262_144) } as Entry["step"]);
const offsets = Array.from({ length: 15 }, (_, offset) => offset);

it("finds the conclusion that stands at a place, and there alone", () => {
  const recent = recentEntries();
  const entry = entryOf(concluded("a", "SUCCEEDED"));
  recent.keep(at(11, 1), entry);
  expect(recent.find(at(11, 1))).toBe(entry);
  expect([recent.find(at(1, 11)), recent.find(at(1, 1)), recent.find(at(11))]).toEqual([null, null, null]);
});

it("keeps claims, for the fold concludes those on a taken quote", () => {
  const recent = recentEntries();
  const entry = entryOf(claimed("a"));
  recent.keep(at(0), entry);
  expect(recent.find(at(0))).toBe(entry);
});

it("keeps nothing else: nobody reads it again", () => {
  const recent = recentEntries();
  recent.keep(at(0), entryOf(released("a")));
  expect(recent.find(at(0))).toBeNull();
});

it("lets go of the oldest, and of no more than it must", () => {
  const recent = recentEntries();
  for (const offset of [...offsets, 15]) recent.keep(at(offset), large);
  expect(recent.find(at(0))).toBeNull();
  for (const offset of [...offsets.slice(1), 15]) expect(recent.find(at(offset)), `${offset}`).toBe(large);
});

it("keeps as much when the journal is read anew as it did the first time", () => {
  const recent = recentEntries();
  for (const offset of [...offsets, ...offsets, ...offsets]) recent.keep(at(offset), large);
  for (const offset of offsets) expect(recent.find(at(offset)), `${offset}`).toBe(large);
});
