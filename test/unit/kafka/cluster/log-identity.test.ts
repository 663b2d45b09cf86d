import { describe, expect, it } from "vitest";
import { createLogIdentity } from "../../../../src/kafka/cluster/log-identity.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 1_800_000_000_000;

const at = (offset: number, ageHours = 0, partition = 0) => ({
  partition,
  offset,
  timestampMs: NOW_MS - ageHours * HOUR_MS,
});
const range = (startOffset: number, endOffset: number) => new Map([[0, { startOffset, endOffset }]]);
const fresh = () => createLogIdentity({ horizonMs: () => 24 * HOUR_MS, now: () => NOW_MS });
const after = (...records: ReturnType<typeof at>[]) => {
  const witness = fresh();
  for (const record of records) witness.learn(record);
  return witness;
};
/** As another process knows it. */
const heir = (...records: ReturnType<typeof at>[]) => {
  const witness = fresh();
  witness.recall(after(...records).note());
  return witness;
};

describe.each([
  ["what was read", after],
  ["what was noted", heir],
])("knows a log again by %s", (_, from) => {
  it("finds no fault with it", () => {
    const witness = from(at(4, 3), at(5, 2), at(6, 1));
    expect(witness.reach(0)).toBe(7);
    for (const record of [at(4, 3), at(5, 2), at(6, 1), at(7)])
      expect(witness.contradiction(record)).toBeNull();
    for (const ranges of [range(0, 7), range(4, 9)]) {
      expect(witness.dropped(ranges)).toBeNull();
      expect(witness.missing(ranges, witness.lasts())).toBeNull();
    }
  });

  it("detects another record at the last offset", () => {
    expect(from(at(5, 2), at(6, 1)).contradiction(at(6, 0.5))).toContain("offset 6 of partition 0");
  });

  it("detects an end before the last record, or a missing partition", () => {
    const witness = from(at(6, 1));
    expect(witness.missing(range(0, 6), witness.lasts())).toContain("offset 6 of partition 0");
    expect(witness.missing(new Map(), witness.lasts())).toContain("offset 6");
  });

  it("detects records that were deleted too early, and forgets old ones", () => {
    const witness = from(at(1, 60), at(2, 20), at(3, 1));
    expect(witness.dropped(range(2, 4))).toBeNull();
    expect(witness.dropped(range(3, 4))).toMatchObject({ offset: 2, ageMs: 20 * HOUR_MS });
    expect(witness.dropped(range(9, 9))).toEqual({ partition: 0, offset: 3, ageMs: HOUR_MS });
    expect(from(at(1, 60), at(2, 30)).dropped(range(3, 3))).toBeNull();
  });
});

it("checks the end only against records that were known before", () => {
  const witness = after(at(6, 1));
  const before = witness.lasts();
  witness.learn(at(7));
  expect(witness.missing(range(0, 7), before)).toBeNull();
});

it("rejects the log when two notes contradict each other", () => {
  const witness = heir(at(6, 1));
  witness.recall(after(at(6, 2)).note());
  expect(witness.contradiction(at(6, 1))).not.toBeNull();
  expect(witness.contradiction(at(6, 2))).not.toBeNull();
});

it("writes as much as fits into a note, and ignores unreadable notes", () => {
  const witness = fresh();
  for (const partition of Array.from({ length: 1_000 }).keys())
    for (const age of [9, 0]) witness.learn(at(4_000_000_000 - age, age, partition));
  expect(witness.note().length).toBeLessThan(4_000);
  expect(witness.note().length).toBeGreaterThan(3_000);
  const other = fresh();
  for (const note of ["", "from somebody else", "0:x", "0:5", ":5@5", "a:5@5", "read:5@5", "0:-5@x"])
    other.recall(note);
  expect(other.lasts().size).toBe(0);
});
