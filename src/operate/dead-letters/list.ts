import { explainOutage } from "../../services/outage.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Connections, OnProgress, Warn } from "../connections.ts";
import { refOf, type DeadLetter } from "./letter.ts";
import { eachLetter, type Selection } from "./read.ts";
import { readSent, type Sent } from "./sent.ts";

/** `letters`: the newest of those that fit, the newest last. `byReason` counts all that fit. */
export type LetterList = {
  letters: readonly DeadLetter[];
  count: number;
  byReason: ReadonlyMap<string, number>;
  newestAtMs: number | null;
  /** When it was replayed; null if that is not known. */
  sent: (letter: DeadLetter) => readonly Sent[] | null;
};

const byAge = (a: DeadLetter, b: DeadLetter): number =>
  a.timestampMs - b.timestampMs || a.place.partition - b.place.partition || a.place.offset - b.place.offset;

/** What was sent of these letters; null where the audit topic cannot be read: then `warn` is called. */
export const sentOf = async (
  connections: Connections,
  letters: readonly DeadLetter[],
  warn: Warn,
  signal: AbortSignal,
): Promise<LetterList["sent"]> => {
  if (letters.length === 0) return () => [];
  try {
    const oldestMs = letters.reduce((oldest, { timestampMs }) => Math.min(oldest, timestampMs), Infinity);
    const { sent } = await readSent(connections, oldestMs, signal);
    return ({ place }) => sent.of(refOf(place));
  } catch (error) {
    signal.throwIfAborted();
    warn(`Which of them were replayed is not known: ${messageOf(error)}`);
    return () => null;
  }
};

/** Reads the dead letters that fit, and keeps the newest so many. With a `limit` of 0 they are only counted. */
export const listLetters = (
  connections: Connections,
  selection: Selection,
  { limit, onProgress, warn }: { limit: number; onProgress?: OnProgress; warn: Warn },
  signal: AbortSignal,
): Promise<LetterList> => {
  const read = async (): Promise<LetterList> => {
    let letters: DeadLetter[] = [];
    let count = 0;
    let newestAtMs: number | null = null;
    const byReason = new Map<string, number>();
    const keepNewest = (): void => {
      letters = limit === 0 ? [] : letters.sort(byAge).slice(-limit);
    };
    const see = (letter: DeadLetter): void => {
      count += 1;
      byReason.set(letter.reason, (byReason.get(letter.reason) ?? 0) + 1);
      newestAtMs = Math.max(newestAtMs ?? 0, letter.timestampMs);
      letters.push(letter);
      // Sorts seldom, and keeps at most twice the limit in memory.
      if (letters.length >= 2 * limit) keepNewest();
    };
    await eachLetter(connections, selection, see, { signal, onProgress });
    keepNewest();
    return { letters, count, byReason, newestAtMs, sent: await sentOf(connections, letters, warn, signal) };
  };
  return explainOutage(connections.config, read(), signal);
};
