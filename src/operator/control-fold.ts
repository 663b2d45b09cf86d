import { readWord, type Pausable, type Word, type Words } from "./control-entry.ts";

/** A record of the control topic. No two logs give one offset the same time. */
type ControlRecord = {
  partition: number;
  offset: number;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
};

type Range = { startOffset: number; endOffset: number };
type Place = { next: number; end: number; last: Pick<ControlRecord, "offset" | "timestampMs"> | null };

export type FollowHooks = {
  /** A record that says nothing to this version: what was said before stands. */
  unreadable: (record: ControlRecord, detail: string) => void;
  /** The topic is another one than before, and knows no word of this flow: what was said before stands. */
  forgotten: (flow: Pausable) => void;
};

/**
 * What was last said of each flow, as a replica that follows the control topic knows it. What is read anew counts once it is read to its end: a
 * pause must not end for the moment in which the words before it are read once more, nor because the topic was emptied.
 */
export const followWords = ({ unreadable, forgotten }: FollowHooks) => {
  let words = new Map<Pausable, Word>();
  /** While the topic is read from its beginning. */
  let coming: Map<Pausable, Word> | null = new Map<Pausable, Word>();
  let isRead = false;
  const places = new Map<number, Place>();

  const look = (): void => {
    if (coming === null || ![...places.values()].every(({ next, end }) => next >= end)) return;
    for (const flow of words.keys()) if (!coming.has(flow)) forgotten(flow);
    words = new Map([...words, ...coming]);
    coming = null;
    isRead = true;
  };

  const hear = (record: ControlRecord): void => {
    const { key, value } = record;
    const read = readWord(key?.toString("utf8") ?? null, value?.toString("utf8") ?? null);
    const known = coming ?? words;
    if (read.kind === "word") known.set(read.word.flow, read.word);
    else if (read.kind === "deleted") known.delete(read.flow);
    else unreadable(record, read.detail);
  };

  return {
    /** The topic is about to be read from the start of these ranges. */
    begin: (ranges: ReadonlyMap<number, Range>): void => {
      coming = new Map();
      places.clear();
      for (const [partition, { startOffset: next, endOffset: end }] of ranges)
        places.set(partition, { next, end, last: null });
      look();
    },
    /** Where to read on: at the last record, to see that the log is still the same one. Null for a partition that was not there. */
    position: (partition: number): number | null => {
      const place = places.get(partition);
      return place ? (place.last?.offset ?? place.next) : null;
    },
    /** False: this is another log than the one that was read, to be read from its beginning. What was compacted away leaves gaps, which are nothing. */
    take: (record: ControlRecord): boolean => {
      const { partition, offset, timestampMs } = record;
      const place = places.get(partition);
      if (!place) return false;
      const { last, next } = place;
      if (offset < next) return last?.offset === offset && last.timestampMs === timestampMs;
      place.next = offset + 1;
      place.last = { offset, timestampMs };
      hear(record);
      look();
      return true;
    },
    /** Nothing stands before this offset that was not read: at its end there may be none but marks of transactions. */
    reached: (partition: number, next: number): void => {
      const place = places.get(partition);
      if (place && next > place.next) place.next = next;
      look();
    },
    /** Whether the topic was ever read to its end. */
    isRead: (): boolean => isRead,
    words: (): Words => words,
  };
};
