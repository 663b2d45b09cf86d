import { unwrap } from "../../bridge/dead-letter-headers.ts";
import { joinParts, type Original } from "../../bridge/dead-letter-parts.ts";
import { ownCopy } from "../../kafka/consume/own-copy.ts";
import type { Reread } from "../../kafka/consume/reread.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Connections, OnProgress } from "../connections.ts";
import { readTopic } from "../read-topic.ts";
import { letterIndex } from "./index-letters.ts";
import { refOf, type DeadLetter } from "./letter.ts";

/** Selects letters; times are epoch milliseconds. */
export type Selection = {
  reason?: string | undefined;
  source?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
};

export type ReadingHooks = { signal: AbortSignal; onProgress?: OnProgress | undefined };

/** The parts of one letter are written within this time. */
const PARTS_WITHIN_MS = 600_000;

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
 * Calls `see` for each selected letter: in order within a partition, letters in parts at the end. Nothing bounds the
 * end of what is read: the writers' clocks set the times, so a letter that looks later may stand before an earlier
 * one. Throws a UsageError where the topic does not exist.
 */
export const eachLetter = async (
  connections: Connections,
  selection: Selection,
  see: (letter: DeadLetter) => void,
  hooks: ReadingHooks,
): Promise<void> => {
  const index = letterIndex(isOldIn(connections));
  const isMeant = fits(selection);
  const { sinceMs } = selection;
  const fromMs = sinceMs === undefined ? undefined : sinceMs - PARTS_WITHIN_MS;
  await readTopic(
    connections,
    { topic: connections.config.topics.deadLetters, fromMs },
    (record) => {
      const letter = index.take(record);
      if (letter && isMeant(letter)) see(letter);
    },
    hooks,
  );
  index.inParts().filter(isMeant).forEach(see);
};

/**
 * The letters at these places; for a letter in parts, the place of any part. A place without a letter is left
 * out.
 */
export const lettersAt = async (
  connections: Connections,
  places: readonly RecordPosition[],
  hooks: ReadingHooks,
): Promise<DeadLetter[]> => {
  const named = new Set(places.map(refOf));
  const letters: DeadLetter[] = [];
  const see = (letter: DeadLetter): void => {
    if (letter.records.some((place) => named.has(refOf(place)))) letters.push(letter);
  };
  await eachLetter(connections, {}, see, hooks);
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
