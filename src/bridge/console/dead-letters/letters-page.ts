import type { LetterFilter, LettersPage } from "../../../console/ports.ts";
import type { Range, Ranges } from "../../../kafka/consume/tail.ts";
import { UsageError } from "../../../runtime/errors.ts";
import type { DeadLetter } from "../../../operator/replay/dead-letter.ts";
import { letterIndex } from "../../operator/dead-letter-index.ts";
import { fits, isOldIn, rangesSince, readRecords, type LetterDeps } from "../../operator/dead-letters.ts";
import { selectionOf } from "../ranges.ts";
import {
  mergePartitions,
  readCursor,
  writeCursor,
  type MergedPage,
  type PartitionSlice,
} from "./merge-partitions.ts";

const PAGE = 50;
/** Records to read for a page; up to as many again for the parts of its letters. */
const MAX_RECORDS = 20_000;
/**
 * Records of each partition to read first. Without a filter on the reason one page is enough, and no more
 * because letters can be large.
 */
const FIRST_RECORDS = { all: PAGE + 10, chosen: 1_000 };
/**
 * How far around a page missing parts are searched, in records per partition; most parts stand close
 * together.
 */
const PARTS_WITHIN_RECORDS = [30, 300, 3_000];

/** The slices before anything is read: from the cursor's offsets, or from the end. */
const emptySlices = (ranges: Ranges, from: ReadonlyMap<number, number> | null): Map<number, PartitionSlice> =>
  new Map(
    [...ranges].map(([partition, { startOffset, endOffset }]) => {
      const end = from === null ? endOffset : (from.get(partition) ?? startOffset);
      const high = Math.max(startOffset, Math.min(end, endOffset));
      return [partition, { start: startOffset, low: high, high, lowMs: Infinity, letters: [] }];
    }),
  );

/**
 * A page of dead letters, the newest first. Reads a bounded number of records, and says how far back it got.
 */
export const lettersPage = async (
  deps: LetterDeps,
  filter: LetterFilter,
  cursor: string | null,
): Promise<LettersPage> => {
  const from = cursor === null ? null : readCursor(cursor);
  if (cursor !== null && from === null)
    throw new UsageError("There is no such page of letters: begin with the first one.");
  const selection = selectionOf(filter);
  const isMeant = fits(selection);
  const slices = emptySlices(await rangesSince(deps, selection.sinceMs), from);
  const index = letterIndex(isOldIn(deps));

  /** Reads these partitions further back by `each` records. Returns how many offsets that were in all. */
  const readBack = async (partitions: readonly number[], each: number): Promise<number> => {
    const ranges = new Map<number, Range>();
    const read = new Map<number, { lowMs: number; letters: DeadLetter[]; cutAt: number | null }>();
    for (const partition of partitions) {
      const { start = 0, low = 0 } = slices.get(partition) ?? {};
      ranges.set(partition, { startOffset: Math.max(start, low - each), endOffset: low });
      read.set(partition, { lowMs: Infinity, letters: [], cutAt: null });
    }
    await readRecords(deps, ranges, (record) => {
      const into = read.get(record.partition);
      const letter = index.take(record);
      if (!into) return;
      into.lowMs = Math.min(into.lowMs, record.timestampMs);
      if (!letter || !isMeant(letter)) return;
      into.letters.push(letter);
      // A page shows no more: older ones are for the next page.
      if (into.letters.length > PAGE) into.letters.shift();
      if (into.letters.length === PAGE) into.cutAt = into.letters[0]?.place.offset ?? null;
    });
    let looked = 0;
    for (const [partition, { startOffset, endOffset }] of ranges) {
      const before = slices.get(partition);
      const { lowMs, letters, cutAt } = read.get(partition) ?? { lowMs: Infinity, letters: [], cutAt: null };
      looked += endOffset - startOffset;
      if (!before) continue;
      const oldestMs = cutAt === null ? lowMs : (letters[0]?.timestampMs ?? lowMs);
      slices.set(partition, {
        ...before,
        low: cutAt ?? startOffset,
        lowMs: oldestMs,
        letters: [...letters, ...before.letters],
      });
    }
    return looked;
  };

  /** Merges the slices; a letter in parts stands where its first part is. */
  const page = (): MergedPage => {
    const inParts = index.inParts().filter(isMeant);
    const all = [...slices].map(([partition, slice]): [number, PartitionSlice] => {
      const own = inParts.filter(
        ({ place }) =>
          place.partition === partition && place.offset >= slice.low && place.offset < slice.high,
      );
      const letters = [...slice.letters, ...own].sort((a, b) => a.place.offset - b.place.offset);
      return [partition, { ...slice, letters }];
    });
    return mergePartitions(new Map(all), PAGE);
  };

  /** Reads around the slices for missing parts of letters. A first part may stand on the next page. */
  const readParts = async (incomplete: readonly DeadLetter[], records: number): Promise<void> => {
    const around = await rangesSince(deps, Math.min(...incomplete.map(({ timestampMs }) => timestampMs)));
    const each = Math.min(records, Math.ceil(MAX_RECORDS / 2 / around.size));
    const before = new Map<number, Range>();
    const behind = new Map<number, Range>();
    for (const [partition, { startOffset, endOffset }] of around) {
      const { low, high } = slices.get(partition) ?? { low: endOffset, high: endOffset };
      before.set(partition, { startOffset: Math.max(startOffset, low - each), endOffset: low });
      behind.set(partition, {
        startOffset: Math.max(startOffset, high),
        endOffset: Math.min(endOffset, high + each),
      });
    }
    const take = (record: Parameters<typeof index.take>[0]): void => void index.take(record);
    await Promise.all([readRecords(deps, before, take), readRecords(deps, behind, take)]);
  };

  let left = MAX_RECORDS;
  let found = page();
  let each = FIRST_RECORDS[filter.reason === null ? "all" : "chosen"];
  for (; found.incomplete.length > 0 && left > 0; each *= 10) {
    left -= await readBack(found.incomplete, Math.min(each, Math.ceil(left / found.incomplete.length)));
    found = page();
  }
  for (const records of PARTS_WITHIN_RECORDS) {
    const incomplete = found.letters.filter(({ missing }) => missing !== null);
    if (incomplete.length === 0) break;
    await readParts(incomplete, records);
    found = page();
  }
  const isEnd = found.incomplete.length === 0 && found.letters.length < PAGE;
  // A slice without any record has no time.
  const nowhereMs = filter.untilMs ?? deps.services.clock.now();
  const backToMs =
    found.letters.length === PAGE
      ? (found.letters.at(-1)?.timestampMs ?? nowhereMs)
      : Math.max(...found.incomplete.map((partition) => slices.get(partition)?.lowMs ?? Infinity));
  return {
    letters: found.letters,
    next: isEnd ? null : writeCursor(found.next),
    searchedBackToMs: isEnd ? null : Math.min(backToMs, nowhereMs),
  };
};
