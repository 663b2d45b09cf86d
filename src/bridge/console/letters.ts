import type { LetterFilter, LettersPage } from "../../console/ports.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Letter } from "../../operator/replay/letter.ts";
import { letterIndex } from "../operator/dead-letter-index.ts";
import {
  fits,
  isOldIn,
  PARTS_WITHIN_MS,
  rangesFor,
  readRecords,
  type LetterDeps,
  type Ranges,
} from "../operator/dead-letters.ts";
import { instantOf } from "./ranges.ts";
import { pageOf, readCursor, writeCursor, type Page, type Stretch } from "./letters-page.ts";

const PAGE = 50;
/** So many records are looked at for a page, and once more as many for the parts of its letters. */
const MAX_RECORDS = 20_000;
/** Of each partition. Where all letters are meant one look is enough, and no more than that, because they can be large. */
const FIRST_RECORDS = { all: PAGE + 10, chosen: 1_000 };
/** So far around a page its letters' parts are looked for, in records of each partition: most stand close together, and each can be large. */
const PARTS_WITHIN_RECORDS = [30, 300, 3_000];

const selectionOf = ({ reason, sinceMs, untilMs }: LetterFilter) => ({
  reason: reason ?? undefined,
  sinceMs: sinceMs === null ? undefined : instantOf(sinceMs),
  untilMs: untilMs === null ? undefined : instantOf(untilMs),
});

/** What is meant, and was not on an earlier page. Of each partition nothing is read yet. */
const begun = (ranges: Ranges, from: ReadonlyMap<number, number> | null): Map<number, Stretch> =>
  new Map(
    [...ranges].map(([partition, { startOffset, endOffset }]) => {
      const end = from === null ? endOffset : (from.get(partition) ?? startOffset);
      const high = Math.max(startOffset, Math.min(end, endOffset));
      return [partition, { start: startOffset, low: high, high, lowMs: Infinity, letters: [] }];
    }),
  );

/** A page of dead letters, the newest first. Looks at so many records at most, and says how far it came. */
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
  const stretches = begun(await rangesFor(deps, selection), from);
  const index = letterIndex(isOldIn(deps));

  /** Reads these partitions so many records back. Gives how many that were in all. */
  const readBack = async (partitions: readonly number[], each: number): Promise<number> => {
    const ranges = new Map<number, { startOffset: number; endOffset: number }>();
    const read = new Map<number, { lowMs: number; letters: Letter[]; cutAt: number | null }>();
    for (const partition of partitions) {
      const { start = 0, low = 0 } = stretches.get(partition) ?? {};
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
      // No page shows more of them: those before are for the next one.
      if (into.letters.length > PAGE) into.letters.shift();
      if (into.letters.length === PAGE) into.cutAt = into.letters[0]?.place.offset ?? null;
    });
    let looked = 0;
    for (const [partition, { startOffset, endOffset }] of ranges) {
      const before = stretches.get(partition);
      const { lowMs, letters, cutAt } = read.get(partition) ?? { lowMs: Infinity, letters: [], cutAt: null };
      looked += endOffset - startOffset;
      if (!before) continue;
      const oldestMs = cutAt === null ? lowMs : (letters[0]?.timestampMs ?? lowMs);
      stretches.set(partition, {
        ...before,
        low: cutAt ?? startOffset,
        lowMs: oldestMs,
        letters: [...letters, ...before.letters],
      });
    }
    return looked;
  };

  /** With the letters in parts, each where its first part stands. */
  const page = (): Page => {
    const inParts = index.inParts().filter(isMeant);
    const all = [...stretches].map(([partition, stretch]): [number, Stretch] => {
      const own = inParts.filter(
        ({ place }) =>
          place.partition === partition && place.offset >= stretch.low && place.offset < stretch.high,
      );
      const letters = [...stretch.letters, ...own].sort((a, b) => a.place.offset - b.place.offset);
      return [partition, { ...stretch, letters }];
    });
    return pageOf(new Map(all), PAGE);
  };

  /** Reads what stands around the stretches, where a letter of the page lacks parts. Their first ones may stand on the next page. */
  const readParts = async (incomplete: readonly Letter[], records: number): Promise<void> => {
    const times = incomplete.map(({ timestampMs }) => timestampMs);
    const around = await rangesFor(deps, {
      sinceMs: Math.min(...times),
      untilMs: Math.max(...times) + PARTS_WITHIN_MS,
    });
    const each = Math.min(records, Math.ceil(MAX_RECORDS / 2 / around.size));
    const before = new Map<number, { startOffset: number; endOffset: number }>();
    const behind = new Map<number, { startOffset: number; endOffset: number }>();
    for (const [partition, { startOffset, endOffset }] of around) {
      const { low, high } = stretches.get(partition) ?? { low: endOffset, high: endOffset };
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
  for (; found.wanting.length > 0 && left > 0; each *= 10) {
    left -= await readBack(found.wanting, Math.min(each, Math.ceil(left / found.wanting.length)));
    found = page();
  }
  for (const records of PARTS_WITHIN_RECORDS) {
    const incomplete = found.letters.filter(({ missing }) => missing !== null);
    if (incomplete.length === 0) break;
    await readParts(incomplete, records);
    found = page();
  }
  const isEnd = found.wanting.length === 0 && found.letters.length < PAGE;
  // Where a stretch held no record at all it is not known how far back that is.
  const nowhereMs = filter.untilMs ?? deps.services.clock.now();
  const backToMs =
    found.letters.length === PAGE
      ? (found.letters.at(-1)?.timestampMs ?? nowhereMs)
      : Math.max(...found.wanting.map((partition) => stretches.get(partition)?.lowMs ?? Infinity));
  return {
    letters: found.letters,
    next: isEnd ? null : writeCursor(found.next),
    searchedBackToMs: isEnd ? null : Math.min(backToMs, nowhereMs),
  };
};
