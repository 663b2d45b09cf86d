import { expect, it } from "vitest";
import { recentEntries } from "../../../../../src/commands-to-results/accept-once/journal/recent-entries.ts";
import { NO_HEADERS } from "../../../../../src/kafka/headers.ts";
import type { Incoming } from "../../../../../src/kafka/record.ts";
import type { Entry } from "../../../../../src/commands-to-results/accept-once/entry.ts";
import { claimed, concluded, released } from "../journal.ts";

const at = (offset: number, partition = 0, value = Buffer.from("value")): Incoming => ({
  ...{ topic: "journal", partition, offset, timestampMs: 0 },
  ...{ key: Buffer.from("key"), value, headers: NO_HEADERS },
});
const entryOf = (step: Entry["step"]): Entry => ({ operation: "ACCEPT_QUOTE", commandId: "c", step });
const conclusion = entryOf(concluded("a", "SUCCEEDED"));
/** A conclusion of 512 KiB: 16 of them fill a generation, of which there are two. */
const large = (offset: number): Incoming => at(offset, 0, Buffer.alloc(524_288));
const upTo = (end: number): number[] => Array.from({ length: end }, (_, offset) => offset);

it("finds the conclusion that stands at a place, and there alone", () => {
  const recent = recentEntries();
  recent.keep(at(11, 1), conclusion);
  expect(recent.find({ partition: 1, offset: 11 })).toEqual(at(11, 1));
  expect([recent.find(at(1, 11)), recent.find(at(1, 1)), recent.find(at(11))]).toEqual([null, null, null]);
});

it("keeps claims, for the fold concludes those on a taken quote", () => {
  const recent = recentEntries();
  const entry = entryOf(claimed("a"));
  recent.keep(at(0), entry);
  expect(recent.find(at(0))).toEqual(at(0));
});

it("keeps nothing else: nobody reads it again", () => {
  const recent = recentEntries();
  recent.keep(at(0), entryOf(released("a")));
  expect(recent.find(at(0))).toBeNull();
});

it("lets go of the oldest once there are as many younger ones", () => {
  const recent = recentEntries();
  for (const offset of upTo(100)) recent.keep(large(offset), conclusion);
  const kept = upTo(100).filter((offset) => recent.find(at(offset)) !== null);
  expect(kept).toEqual(upTo(100).slice(-kept.length));
  expect(kept.length).toBeGreaterThanOrEqual(15);
  expect(kept.length).toBeLessThanOrEqual(32);
});

it("keeps the last ones when the journal is read anew as well", () => {
  const recent = recentEntries();
  for (const offset of [...upTo(15), ...upTo(15), ...upTo(15)]) recent.keep(large(offset), conclusion);
  for (const offset of upTo(15)) expect(recent.find(at(offset))?.offset).toBe(offset);
});

it("passes over what stands long before the end of its partition, and nothing that comes after it", () => {
  const recent = recentEntries();
  recent.begin(new Map([[0, { startOffset: 0, endOffset: 1_000_000 }]]));
  const entry = entryOf(claimed("a"));
  for (const place of [at(0), at(999_999), at(1_000_000), at(0, 1)]) recent.keep(place, entry);
  expect(recent.find(at(0))).toBeNull();
  for (const place of [at(999_999), at(1_000_000), at(0, 1)]) expect(recent.find(place)).toEqual(place);
});

it("keeps a copy: the record is a window on all that was fetched with it", () => {
  const recent = recentEntries();
  const record = at(0);
  recent.keep(record, conclusion);
  record.value?.fill(0);
  expect(recent.find(record)?.value?.toString()).toBe("value");
});
