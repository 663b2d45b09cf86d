import { expect, it } from "vitest";
import { recentEntries } from "../../../../src/bridge/journal-wiring/recent-entries.ts";
import type { Entry } from "../../../../src/commands-to-results/journal-rules/entry.ts";
import { claimed, concluded, released } from "../../commands-to-results/journal-rules/journal.ts";

const at = (offset: number, partition = 0) => ({ partition, offset });
const entryOf = (step: Entry["step"]): Entry => ({ operation: "ACCEPT_QUOTE", commandId: "c", step });
/** A conclusion of 256 KiB: 16 of them fill a generation, of which there are two. */
const large = entryOf({ ...concluded("a", "SUCCEEDED"), result: Buffer.alloc(262_144) } as Entry["step"]);
const upTo = (end: number): number[] => Array.from({ length: end }, (_, offset) => offset);

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

it("lets go of the oldest once there are as many younger ones", () => {
  const recent = recentEntries();
  for (const offset of upTo(100)) recent.keep(at(offset), large);
  const kept = upTo(100).filter((offset) => recent.find(at(offset)) !== null);
  expect(kept).toEqual(upTo(100).slice(-kept.length));
  expect(kept.length).toBeGreaterThanOrEqual(15);
  expect(kept.length).toBeLessThanOrEqual(32);
});

it("keeps the last ones when the journal is read anew as well", () => {
  const recent = recentEntries();
  for (const offset of [...upTo(15), ...upTo(15), ...upTo(15)]) recent.keep(at(offset), large);
  for (const offset of upTo(15)) expect(recent.find(at(offset)), `${offset}`).toBe(large);
});

it("passes over what stands long before the end of its partition, and nothing that comes after it", () => {
  const recent = recentEntries();
  recent.begin(new Map([[0, { startOffset: 0, endOffset: 1_000_000 }]]));
  const entry = entryOf(claimed("a"));
  for (const place of [at(0), at(999_999), at(1_000_000), at(0, 1)]) recent.keep(place, entry);
  expect(recent.find(at(0))).toBeNull();
  for (const place of [at(999_999), at(1_000_000), at(0, 1)]) expect(recent.find(place)).toBe(entry);
});
