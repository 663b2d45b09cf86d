import { describe, expect, it } from "vitest";
import { knownOffsets } from "../../../src/bridge/known-offsets.ts";

const range = (startOffset: number, endOffset: number) => new Map([[0, { startOffset, endOffset }]]);
const at = (offset: number) => ({ partition: 0, offset });
/** Records known from the start of a range on. */
const begun = (startOffset: number, endOffset: number) => {
  const known = knownOffsets();
  known.begin(range(startOffset, endOffset));
  return known;
};

describe("what is known of a partition", () => {
  it("reaches as far as was read", () => {
    const known = begun(5, 7);
    known.read(at(5));
    expect([known.next(0), known.unknown(range(5, 7)).size]).toEqual([6, 1]);
    known.read(at(6));
    expect([known.next(0), known.unknown(range(5, 7)).size]).toEqual([7, 0]);
  });

  it("reaches the end also when the last record before it is an own one, which is never read", () => {
    const known = begun(5, 6);
    expect(known.unknown(range(5, 6)).size).toBe(1);
    known.wrote(at(5));
    expect([known.next(0), known.unknown(range(5, 6)).size]).toEqual([6, 0]);
  });

  it("reaches the end of what is empty", () => {
    expect(begun(5, 5).unknown(range(5, 5)).size).toBe(0);
  });

  it("does not pass what others have written, however far the own records are", () => {
    const known = begun(0, 0);
    for (const offset of [0, 2, 3]) known.wrote(at(offset));
    expect(known.unknown(range(0, 4))).toEqual(new Map([[0, 1]]));
    known.read(at(1));
    expect(known.unknown(range(0, 4))).toEqual(new Map());
    expect(known.all()).toEqual(new Map([[0, 4]]));
  });

  it("keeps nothing of before when reading begins anew", () => {
    const known = begun(0, 0);
    known.wrote(at(0));
    known.wrote(at(2));
    known.begin(range(0, 3));
    expect(known.unknown(range(0, 3))).toEqual(new Map([[0, 0]]));
  });

  it("does not keep partitions that another topic of this name has not", () => {
    const known = knownOffsets();
    const fewer = range(0, 3);
    known.begin(new Map([...fewer, [1, { startOffset: 0, endOffset: 5 }]]));
    known.wrote({ partition: 1, offset: 0 });
    known.begin(fewer);
    expect(known.all()).toEqual(new Map([[0, 0]]));
  });
});
