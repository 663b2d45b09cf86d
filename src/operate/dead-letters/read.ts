import { unwrap } from "../../services/dead-letter-headers.ts";
import { ownCopy } from "../../kafka/consume/record-memory.ts";
import type { Reread } from "../../kafka/consume/reread.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Connections, OnProgress } from "../connections.ts";
import { readTopic } from "../read-topic.ts";
import { letterOf } from "./letter-of.ts";
import { refOf, type DeadLetter, type Original } from "./letter.ts";

/** Selects letters; times are epoch milliseconds. */
export type Selection = {
  reason?: string | undefined;
  source?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
};

export type ReadingHooks = { signal: AbortSignal; onProgress?: OnProgress | undefined };

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
 * Calls `see` for each selected letter, in order within a partition. Nothing bounds the end of what is read: the
 * writers' clocks set the times, so a letter that looks later may stand before an earlier one. Throws a UsageError
 * where the topic does not exist.
 */
export const eachLetter = async (
  connections: Connections,
  selection: Selection,
  see: (letter: DeadLetter) => void,
  hooks: ReadingHooks,
): Promise<void> => {
  const isOld = isOldIn(connections);
  const isMeant = fits(selection);
  await readTopic(
    connections,
    { topic: connections.config.topics.deadLetters, fromMs: selection.sinceMs },
    (record) => {
      const letter = letterOf(record, isOld);
      if (isMeant(letter)) see(letter);
    },
    hooks,
  );
};

/** The letters at these places. A place without a letter is left out. */
export const lettersAt = async (
  connections: Connections,
  places: readonly RecordPosition[],
  hooks: ReadingHooks,
): Promise<DeadLetter[]> => {
  const named = new Set(places.map(refOf));
  const letters: DeadLetter[] = [];
  const see = (letter: DeadLetter): void => {
    if (named.has(refOf(letter.place))) letters.push(letter);
  };
  await eachLetter(connections, {}, see, hooks);
  return letters;
};

/** `added`: the headers that the bridge added. */
export type LoadedLetter = { original: Original; added: ReadonlyMap<string, string> };

/** Reads a letter again. Null if retention has deleted it. */
export const loadLetter = async (reread: Reread, { place }: DeadLetter): Promise<LoadedLetter | null> => {
  const record = await reread(place.partition, place.offset);
  if (record === null) return null;
  const { key, value, headers } = ownCopy(record);
  const { added, original } = unwrap(headers) ?? { added: new Map<string, string>(), original: headers };
  return { original: { key, value, headers: original }, added };
};
