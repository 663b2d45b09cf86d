import {
  applyControlRecord,
  type ControlEntries,
  type ControlEntry,
  type ControlRecord,
  type Pausable,
} from "./entry.ts";

type Range = { startOffset: number; endOffset: number };

/**
 * Folds the control topic into the last entry of each flow. When the topic is read anew, the new entries take
 * effect only once it is read to its end: a pause must not end while older entries are read again, nor because
 * the topic was emptied.
 */
export const createControlFold = () => {
  let entries = new Map<Pausable, ControlEntry>();
  /** Entries of a topic that is being read from its beginning; null once it is read to its end. */
  let loading: Map<Pausable, ControlEntry> | null = null;
  let isRead = false;
  /** By partition: the offset before which is something to read yet. */
  const ends = new Map<number, number>();

  const finishLoading = (): void => {
    if (loading === null || ends.size > 0) return;
    entries = new Map([...entries, ...loading]);
    loading = null;
    isRead = true;
  };

  return {
    /** Called before the topic is read from the start of these ranges. */
    begin: (ranges: ReadonlyMap<number, Range>): void => {
      loading = new Map();
      ends.clear();
      for (const [partition, { startOffset, endOffset }] of ranges)
        if (startOffset < endOffset) ends.set(partition, endOffset);
      finishLoading();
    },
    /** False: it cannot be read, and the entry before it stays in force. */
    take: (record: ControlRecord): boolean => applyControlRecord(loading ?? entries, record),
    /** Everything before this offset was read, gaps of compaction and transaction markers included. */
    reached: (partition: number, next: number): void => {
      if (next >= (ends.get(partition) ?? 0)) ends.delete(partition);
      finishLoading();
    },
    /** Whether the topic has been read to its end at least once. */
    isRead: (): boolean => isRead,
    entries: (): ControlEntries => entries,
  };
};
