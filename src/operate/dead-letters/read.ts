import { unwrap } from "../../bridge/dead-letter-headers.ts";
import { joinParts, type Original } from "../../bridge/dead-letter-parts.ts";
import { scanRanges } from "../../bridge/scan-ranges.ts";
import { noSuchTopic } from "../../bridge/with-cluster.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { ownCopy } from "../../kafka/consume/own-copy.ts";
import type { Reread } from "../../kafka/consume/reread.ts";
import type { TakeRecord } from "../../kafka/consume/scan.ts";
import type { Range, Ranges } from "../../kafka/consume/tail.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Connections, OnProgress } from "../connections.ts";
import { letterIndex } from "./index-letters.ts";
import { refOf, type DeadLetter } from "./letter.ts";

/** Selects letters; times are epoch milliseconds. */
export type Selection = {
  reason?: string | undefined;
  source?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
};

/** The parts of one letter are written within this time. */
const PARTS_WITHIN_MS = 600_000;

export type LetterDeps = Connections & {
  cluster: Cluster;
  signal: AbortSignal;
  onProgress?: OnProgress | undefined;
};

const recordsIn = (ranges: Ranges): number =>
  [...ranges.values()].reduce((sum, { startOffset, endOffset }) => sum + endOffset - startOffset, 0);

const readRecords = (deps: LetterDeps, ranges: Ranges, take: TakeRecord): Promise<void> => {
  const total = recordsIn(ranges);
  let read = 0;
  const counted: TakeRecord = (record) => {
    read += 1;
    deps.onProgress?.({ read, total });
    return take(record);
  };
  return scanRanges(
    deps,
    { topic: deps.config.topics.deadLetters, purpose: "dead-letters", ranges },
    counted,
  );
};

/** Throws a UsageError where the topic does not exist. */
export const demandLetters = async ({
  config,
  cluster,
}: Pick<LetterDeps, "config" | "cluster">): Promise<void> => {
  const topic = config.topics.deadLetters;
  if (!(await cluster.find([topic])).has(topic)) throw noSuchTopic(topic);
};

export const isOldIn =
  ({ config, services }: Connections) =>
  (timestampMs: number): boolean =>
    services.clock.now() - timestampMs > config.commands.maxAgeMs;

const fits =
  ({ reason, source, sinceMs = -Infinity, untilMs = Infinity }: Selection) =>
  (letter: DeadLetter): boolean =>
    (reason === undefined || letter.reason === reason) &&
    (source === undefined || letter.source === source) &&
    letter.timestampMs >= sinceMs &&
    letter.timestampMs < untilMs;

/**
 * The ranges that hold all parts of the letters since then; they may hold more. Nothing bounds their end: the
 * writers' clocks set the times, so a letter that looks later may stand before an earlier one.
 */
const rangesSince = ({ config, cluster }: LetterDeps, sinceMs: number | undefined): Promise<Ranges> =>
  cluster.ranges(
    config.topics.deadLetters,
    sinceMs === undefined ? undefined : Math.max(0, sinceMs - PARTS_WITHIN_MS),
  );

/** Calls `see` for each selected letter: in order within a partition, letters in parts at the end. */
export const eachLetter = async (
  deps: LetterDeps,
  selection: Selection,
  see: (letter: DeadLetter) => void,
): Promise<void> => {
  const index = letterIndex(isOldIn(deps));
  const isMeant = fits(selection);
  await readRecords(deps, await rangesSince(deps, selection.sinceMs), (record) => {
    const letter = index.take(record);
    if (letter && isMeant(letter)) see(letter);
  });
  index.inParts().filter(isMeant).forEach(see);
};

const holds = (ranges: Ranges, place: RecordPosition): boolean => {
  const range = ranges.get(place.partition);
  return range !== undefined && place.offset >= range.startOffset && place.offset < range.endOffset;
};

/**
 * The letters at these places; for a letter in parts, the place of any part. A place without a letter is left
 * out.
 */
export const lettersAt = async (
  deps: LetterDeps,
  places: readonly RecordPosition[],
): Promise<DeadLetter[]> => {
  const ranges = await deps.cluster.ranges(deps.config.topics.deadLetters);
  const named = new Set(places.filter((place) => holds(ranges, place)).map(refOf));
  const wanted = new Map<number, Range>();
  for (const { partition, offset } of places.filter((place) => named.has(refOf(place)))) {
    const { startOffset, endOffset } = wanted.get(partition) ?? { startOffset: offset, endOffset: 0 };
    wanted.set(partition, {
      startOffset: Math.min(startOffset, offset),
      endOffset: Math.max(endOffset, offset + 1),
    });
  }
  const letters: DeadLetter[] = [];
  let partsFromMs = Infinity;
  let partsToMs = -Infinity;
  const index = letterIndex(isOldIn(deps));
  await readRecords(deps, wanted, (record) => {
    if (!named.has(refOf(record))) return;
    const letter = index.take(record);
    if (letter) letters.push(letter);
    else {
      partsFromMs = Math.min(partsFromMs, record.timestampMs);
      partsToMs = Math.max(partsToMs, record.timestampMs);
    }
  });
  if (partsFromMs === Infinity) return letters;
  const around = { sinceMs: partsFromMs - PARTS_WITHIN_MS, untilMs: partsToMs + PARTS_WITHIN_MS };
  await eachLetter(deps, around, (letter) => {
    const isNamed = letter.records.some((place) => named.has(refOf(place)));
    if (isNamed && (letter.records.length > 1 || letter.missing !== null)) letters.push(letter);
  });
  return letters;
};

export type LoadedLetter = {
  original: Original;
  /** The headers that the bridge added to the first record. */
  added: ReadonlyMap<string, string>;
};

/** Reads a letter again and joins its parts. Null if retention has deleted any of them. */
export const loadLetter = async (reread: Reread, { records }: DeadLetter): Promise<LoadedLetter | null> => {
  const found = await Promise.all(records.map(({ partition, offset }) => reread(partition, offset)));
  const present = found.filter((record) => record !== null).map(ownCopy);
  const parts = present.map((record) => {
    const { added = new Map<string, string>(), original = record.headers } = unwrap(record.headers) ?? {};
    return { ...record, headers: original, added, of: added.get("part-of") ?? null };
  });
  const [first] = parts;
  if (!first || parts.length < records.length) return null;
  const { key, value, headers } = first;
  const original =
    first.of === null
      ? { key, value, headers }
      : joinParts(parts.map((part) => ({ ...part, of: part.of ?? "" })));
  return { original, added: first.added };
};
