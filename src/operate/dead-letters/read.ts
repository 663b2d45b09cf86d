import { ownCopy } from "../../kafka/consume/record-memory.ts";
import type { Incoming } from "../../kafka/record.ts";
import { messageOf } from "../../runtime/errors.ts";
import { positionText, type RecordPosition } from "../../runtime/record-position.ts";
import type { ToolServices } from "../tool-services.ts";
import { readTopic } from "../read-topic.ts";
import { originalOf, readLetter, type DeadLetter } from "./letter.ts";
import { readSent, type SentLetters } from "./sent.ts";

export type Selection = {
  refs?: readonly RecordPosition[] | undefined;
  reason?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
};

/** Nothing bounds the end of what is read: writers set the times, so a later letter may stand before an earlier one. */
export const eachLetter = async (
  services: ToolServices,
  { refs, reason, sinceMs = -Infinity, untilMs = Infinity }: Selection,
  see: (letter: DeadLetter, record: Incoming) => void,
): Promise<void> => {
  const refTexts = refs && new Set(refs.map(positionText));
  const take = (record: Incoming): void => {
    if (refTexts?.has(positionText(record)) === false) return;
    if (record.timestampMs < sinceMs || record.timestampMs >= untilMs) return;
    const letter = readLetter(record, services);
    if (reason === undefined || letter.reason === reason) see(letter, record);
  };
  await readTopic(services, { topic: services.config.topics.deadLetters, fromMs: sinceMs }, take);
};

const byAge = (a: DeadLetter, b: DeadLetter): number =>
  a.timestampMs - b.timestampMs || a.place.partition - b.place.partition || a.place.offset - b.place.offset;

/** Null where it is not known: letters are shown also where the audit topic is not there, or may not be read. */
const sentOrNull = (services: ToolServices, letters: readonly DeadLetter[]): Promise<SentLetters | null> =>
  readSent(services, letters).then(
    ({ sent }) => sent,
    (error: unknown) => {
      services.stopped.throwIfAborted();
      services.warn(`Which of them were replayed is not known: ${messageOf(error)}`);
      return null;
    },
  );

/** Reads the dead letters that fit, and keeps the newest so many. With a `limit` of 0 they are only counted. */
export const listLetters = async (services: ToolServices, selection: Selection, limit: number) => {
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
  await eachLetter(services, selection, see);
  letters = newest();
  const sent = await sentOrNull(services, letters);
  const replaysOf = ({ place }: DeadLetter) => sent && sent.replays(positionText(place));
  return { letters, count, byReason, sent: replaysOf };
};
/** `letters`: the newest of those that fit, the newest last. `byReason` counts all that fit. */
export type LetterList = Awaited<ReturnType<typeof listLetters>>;

export const showLetter = async (services: ToolServices, place: RecordPosition) => {
  const records: Incoming[] = [];
  const see = (_: DeadLetter, record: Incoming): void => void records.push(ownCopy(record));
  await eachLetter(services, { refs: [place] }, see);
  const [record] = records;
  if (!record) return null;
  const letter = readLetter(record, services);
  const sent = await sentOrNull(services, [letter]);
  return { letter, loaded: originalOf(record), sent: sent && sent.replays(positionText(place)) };
};
export type ShownLetter = NonNullable<Awaited<ReturnType<typeof showLetter>>>;
