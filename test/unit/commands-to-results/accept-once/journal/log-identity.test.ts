import { describe, expect, it } from "vitest";
import { journalIdentity } from "../../../../../src/commands-to-results/accept-once/journal/log-identity.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 1_800_000_000_000;

const at = (offset: number, ageHours = 0, partition = 0) => ({
  partition,
  offset,
  timestampMs: NOW_MS - ageHours * HOUR_MS,
});
const range = (startOffset: number, endOffset: number) => new Map([[0, { startOffset, endOffset }]]);
const fresh = () => journalIdentity({ now: () => NOW_MS });
const after = (...records: ReturnType<typeof at>[]) => {
  const identity = fresh();
  for (const record of records) identity.learn(record);
  return identity;
};
/** As another process knows it. */
const heir = (...records: ReturnType<typeof at>[]) => {
  const identity = fresh();
  identity.recall(after(...records).note());
  return identity;
};

describe.each([
  ["what was read", after],
  ["what was noted", heir],
])("knows a log again by %s", (_, from) => {
  it("finds no fault with it", () => {
    const identity = from(at(4, 3), at(5, 2), at(6, 1));
    expect(identity.reach(0)).toBe(7);
    for (const record of [at(4, 3), at(5, 2), at(6, 1), at(7)])
      expect(identity.contradiction(record)).toBeNull();
    for (const ranges of [range(0, 7), range(4, 9)]) {
      expect(identity.dropped(ranges)).toBeNull();
      expect(identity.missing(ranges, identity.lasts())).toBeNull();
    }
  });

  it("detects records that were deleted too early, and forgets old ones", () => {
    const identity = from(at(1, 60), at(2, 20), at(3, 1));
    expect(identity.dropped(range(2, 4))).toBeNull();
    expect(identity.dropped(range(3, 4))).toContain(`offset 2 of partition 0, which was ${20 * 3_600} s old`);
    expect(identity.dropped(range(9, 9))).toContain("offset 3 of partition 0");
    expect(from(at(1, 60), at(2, 31)).dropped(range(3, 3))).toBeNull();
  });
});

describe("a loss of records that are younger than the horizon", () => {
  /** A record each half hour, for 40 hours. */
  const ages = Array.from({ length: 81 }, (_, i) => 40 - i / 2);
  const records = ages.map((age, offset) => at(offset, age));
  const startAfter = (hours: number): number => ages.findIndex((age) => age < hours);

  it.each([23.5, 23, 21, 19, 18.5, 18, 13, 12.5, 6, 0.5, 0])("%d h old is noticed", (age) => {
    const identity = after(...records);
    expect(identity.dropped(range(ages.indexOf(age) + 1, 81))).not.toBeNull();
  });

  it.each([23.5, 21, 18.5, 12, 0])("%d h old is noticed by whoever read it after a start", (age) => {
    const identity = heir(...records);
    for (const record of records) identity.learn(record);
    expect(identity.dropped(range(ages.indexOf(age) + 1, 81))).not.toBeNull();
  });

  it("is none where retention deleted what is two days old", () => {
    const identity = after(...records);
    expect(identity.dropped(range(startAfter(30), 81))).toBeNull();
  });
});

it("checks the end only against records that were known before", () => {
  const identity = after(at(6, 1));
  const before = identity.lasts();
  identity.learn(at(7));
  expect(identity.missing(range(0, 7), before)).toBeNull();
});

it("rejects the log when two notes contradict each other", () => {
  const identity = heir(at(6, 1));
  identity.recall(after(at(6, 2)).note());
  expect(identity.contradiction(at(6, 1))).not.toBeNull();
  expect(identity.contradiction(at(6, 2))).not.toBeNull();
});

it("writes as much as fits into a note, and ignores unreadable notes", () => {
  const identity = fresh();
  for (const partition of Array.from({ length: 1_000 }).keys())
    for (const age of [9, 0]) identity.learn(at(4_000_000_000 - age, age, partition));
  expect(identity.note().length).toBeLessThan(4_000);
  expect(identity.note().length).toBeGreaterThan(3_000);
  const other = fresh();
  for (const note of ["", "from somebody else", "0:x", "0:5", ":5@5", "a:5@5", "read:5@5", "0:-5@x"])
    other.recall(note);
  expect(other.lasts().size).toBe(0);
});
