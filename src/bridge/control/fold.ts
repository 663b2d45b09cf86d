import { readControlEntry, type Pausable, type ControlEntry, type ControlEntries } from "./entry.ts";

/** A record of the control topic. Offset and timestamp together tell whether two logs are the same one. */
type ControlRecord = {
  partition: number;
  offset: number;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
};

type Range = { startOffset: number; endOffset: number };
type Place = { next: number; end: number };

export type FoldHooks = {
  /** A record that this version cannot read: the entry before it stays in force. */
  unreadable: (record: ControlRecord, detail: string) => void;
  /** The topic was created anew and holds no entry of this flow: the former entry stays in force. */
  forgotten: (flow: Pausable) => void;
};

/** Applies a record to the last entry of each flow. One that cannot be read changes nothing. */
export const applyControlRecord = (
  entries: Map<Pausable, ControlEntry>,
  { key, value }: Pick<ControlRecord, "key" | "value">,
  unreadable: (detail: string) => void,
): void => {
  const read = readControlEntry(key?.toString("utf8") ?? null, value?.toString("utf8") ?? null);
  if (read.kind === "entry") entries.set(read.entry.flow, read.entry);
  else if (read.kind === "deleted") entries.delete(read.flow);
  else unreadable(read.detail);
};

/**
 * Folds the control topic into the last entry of each flow. When the topic is read anew, the new entries take
 * effect only once it is read to its end: a pause must not end while older entries are read again, nor because
 * the topic was emptied.
 */
export const createControlFold = ({ unreadable, forgotten }: FoldHooks) => {
  let entries = new Map<Pausable, ControlEntry>();
  /** Entries of a topic that is being read from its beginning; null once it is read to its end. */
  let loading: Map<Pausable, ControlEntry> | null = new Map<Pausable, ControlEntry>();
  let isRead = false;
  const places = new Map<number, Place>();

  const finishLoading = (): void => {
    if (loading === null || ![...places.values()].every(({ next, end }) => next >= end)) return;
    for (const flow of entries.keys()) if (!loading.has(flow)) forgotten(flow);
    entries = new Map([...entries, ...loading]);
    loading = null;
    isRead = true;
  };

  return {
    /** Called before the topic is read from the start of these ranges. */
    begin: (ranges: ReadonlyMap<number, Range>): void => {
      loading = new Map();
      places.clear();
      for (const [partition, { startOffset: next, endOffset: end }] of ranges)
        places.set(partition, { next, end });
      finishLoading();
    },
    /** False: this partition is new. Gaps of compaction are allowed. */
    take: (record: ControlRecord): boolean => {
      const place = places.get(record.partition);
      if (!place) return false;
      place.next = record.offset + 1;
      applyControlRecord(loading ?? entries, record, (detail) => unreadable(record, detail));
      finishLoading();
      return true;
    },
    /** Everything before this offset was read. Needed where a partition ends with transaction markers. */
    reached: (partition: number, next: number): void => {
      const place = places.get(partition);
      if (place && next > place.next) place.next = next;
      finishLoading();
    },
    /** Whether the topic has been read to its end at least once. */
    isRead: (): boolean => isRead,
    entries: (): ControlEntries => entries,
  };
};
