import type { Range } from "../../kafka/ranges.ts";
import { applyControlRecord, type ControlEntries, type ControlEntry } from "./pause-entry.ts";
import type { ControlRecord, Pausable } from "./pause-entry.ts";

export type ControlFold = ReturnType<typeof createControlFold>;

/**
 * Folds the control topic, which has one partition, into the last entry of each flow. When it is read anew, its entries
 * take effect only once it is read to its end: a pause must not end while older entries are read again, nor because the
 * topic was emptied.
 */
export const createControlFold = () => {
  const entries = new Map<Pausable, ControlEntry>();
  /** While the topic is read from its start: the entries so far, and where they take effect. */
  let loading: { entries: Map<Pausable, ControlEntry>; end: number } | null = null;
  let isRead = false;

  /** Everything before this offset was read, gaps of compaction and transaction markers included. */
  const reached = (next: number): void => {
    if (loading === null || next < loading.end) return;
    for (const [flow, entry] of loading.entries) entries.set(flow, entry);
    loading = null;
    isRead = true;
  };

  return {
    begin: ({ startOffset, endOffset }: Range): void => {
      loading = { entries: new Map(), end: endOffset };
      reached(startOffset);
    },
    /** Returns false for a record that cannot be read: the entry before it stays in force. */
    take: (record: ControlRecord): boolean => applyControlRecord(loading?.entries ?? entries, record),
    reached,
    isRead: (): boolean => isRead,
    entries: (): ControlEntries => entries,
  };
};
