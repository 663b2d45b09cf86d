import { describe, expect, it } from "vitest";
import { topicProgress } from "../../../../src/notification/wire/topic-progress.ts";

const range = (startOffset: number, endOffset: number) => new Map([[0, { startOffset, endOffset }]]);
const at = (offset: number) => ({ partition: 0, offset });
/** Records known from the start of a range on. */
const begun = (startOffset: number, endOffset: number) => {
  const progress = topicProgress();
  progress.begin(range(startOffset, endOffset));
  return progress;
};

describe("what is known of a partition", () => {
  it("reaches as far as was read", () => {
    const progress = begun(5, 7);
    progress.read(at(5));
    expect([progress.positions().get(0), progress.unread(range(5, 7)).size]).toEqual([6, 1]);
    progress.read(at(6));
    expect([progress.positions().get(0), progress.unread(range(5, 7)).size]).toEqual([7, 0]);
  });

  it("reaches the end also when the last record before it is an own one, which is never read", () => {
    const progress = begun(5, 6);
    expect(progress.unread(range(5, 6)).size).toBe(1);
    progress.wrote(at(5));
    expect([progress.positions().get(0), progress.unread(range(5, 6)).size]).toEqual([6, 0]);
  });

  it("is the same in whatever order the own records are acknowledged", () => {
    const progress = begun(0, 0);
    for (const offset of [2, 5, 1, 4, 1, 7]) progress.wrote(at(offset));
    expect(progress.positions().get(0)).toBe(0);
    progress.wrote(at(0));
    expect(progress.positions().get(0)).toBe(3);
    progress.wrote(at(3));
    expect(progress.positions().get(0)).toBe(6);
    expect(progress.unread(range(0, 8))).toEqual(new Map([[0, 6]]));
  });

  it("reaches the end of what is empty", () => {
    expect(begun(5, 5).unread(range(5, 5)).size).toBe(0);
  });

  it("does not pass what others have written, however far the own records are", () => {
    const progress = begun(0, 0);
    for (const offset of [0, 2, 3]) progress.wrote(at(offset));
    expect(progress.unread(range(0, 4))).toEqual(new Map([[0, 1]]));
    progress.read(at(1));
    expect(progress.unread(range(0, 4))).toEqual(new Map());
    expect(progress.positions()).toEqual(new Map([[0, 4]]));
  });

  it("keeps any number of own records that follow one another while nothing is read", () => {
    const progress = begun(0, 0);
    const end = 250_000;
    for (let offset = 1; offset < end; offset++) progress.wrote(at(offset));
    progress.read(at(0));
    expect(progress.unread(range(0, end))).toEqual(new Map());
  });

  it("keeps a bounded number of own records while nothing is read, and has the others read back", () => {
    const progress = begun(0, 0);
    const end = 250_000;
    for (let offset = 1; offset < end; offset += 2) progress.wrote(at(offset));
    progress.read(at(0));
    let reads = 1;
    for (let [from] = progress.unread(range(0, end)).values(); from !== undefined; reads += 1) {
      progress.read(at(from));
      [from] = progress.unread(range(0, end)).values();
    }
    expect(reads).toBeGreaterThan(200_000);
    expect(reads).toBeLessThan(end);
    expect(progress.positions()).toEqual(new Map([[0, end]]));
  });

  it("keeps nothing of before when reading begins anew", () => {
    const progress = begun(0, 0);
    progress.wrote(at(0));
    progress.wrote(at(2));
    progress.begin(range(0, 3));
    expect(progress.unread(range(0, 3))).toEqual(new Map([[0, 0]]));
  });

  it("does not keep partitions that another topic of this name has not", () => {
    const progress = topicProgress();
    const fewer = range(0, 3);
    progress.begin(new Map([...fewer, [1, { startOffset: 0, endOffset: 5 }]]));
    progress.wrote({ partition: 1, offset: 0 });
    progress.begin(fewer);
    expect(progress.positions()).toEqual(new Map([[0, 0]]));
  });
});
