import { ownCopy } from "../../kafka/consume/record-memory.ts";
import type { Incoming } from "../../kafka/record.ts";
import { positionText, type RecordPosition } from "../../runtime/record-position.ts";
import type { Tools } from "../tools.ts";
import { readTopic } from "../read-topic.ts";
import { originalOf, readLetter, type DeadLetter } from "./letter.ts";

export type Selection = {
  refs?: readonly RecordPosition[] | undefined;
  reason?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
};

/** Nothing bounds the end of what is read: writers set the times, so a later letter may stand before an earlier one. */
export const eachLetter = async (
  tools: Tools,
  { refs, reason, sinceMs = -Infinity, untilMs = Infinity }: Selection,
  see: (letter: DeadLetter, record: Incoming) => void,
): Promise<void> => {
  const refTexts = refs && new Set(refs.map(positionText));
  const take = (record: Incoming): void => {
    if (refTexts?.has(positionText(record)) === false) return;
    if (record.timestampMs < sinceMs || record.timestampMs >= untilMs) return;
    const letter = readLetter(record, tools);
    if (reason === undefined || letter.reason === reason) see(letter, record);
  };
  await readTopic(tools, { topic: tools.config.topics.deadLetters, fromMs: sinceMs }, take);
};

const byAge = (a: DeadLetter, b: DeadLetter): number =>
  a.timestampMs - b.timestampMs || a.place.partition - b.place.partition || a.place.offset - b.place.offset;

/** Reads the dead letters that fit, and keeps the newest so many. With a `limit` of 0 they are only counted. */
export const listLetters = async (tools: Tools, selection: Selection, limit: number) => {
  let letters: DeadLetter[] = [];
  let count = 0;
  const byReason = new Map<string, number>();
  const newest = (): DeadLetter[] => (limit === 0 ? [] : letters.sort(byAge).slice(-limit));
  const see = (letter: DeadLetter): void => {
    count += 1;
    byReason.set(letter.reason, (byReason.get(letter.reason) ?? 0) + 1);
    letters.push(letter);
    // Sorts seldom, and keeps at most twice the limit in memory.
    if (letters.length >= 2 * limit) letters = newest();
  };
  await eachLetter(tools, selection, see);
  return { letters: newest(), count, byReason };
};
/** `letters`: the newest of those that fit, the newest last. `byReason` counts all that fit. */
export type LetterList = Awaited<ReturnType<typeof listLetters>>;

export const showLetter = async (tools: Tools, place: RecordPosition) => {
  const records: Incoming[] = [];
  const see = (_: DeadLetter, record: Incoming): void => void records.push(ownCopy(record));
  await eachLetter(tools, { refs: [place] }, see);
  const [record] = records;
  if (!record) return null;
  return { letter: readLetter(record, tools), loaded: originalOf(record) };
};
export type ShownLetter = NonNullable<Awaited<ReturnType<typeof showLetter>>>;
