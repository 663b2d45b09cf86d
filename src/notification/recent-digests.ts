import type { Digest } from "../runtime/digest.ts";
import { DigestTable, keyOf } from "./digest-table.ts";

/**
 * A compact map from digests to numbers, whose entries expire by age. Its tables never grow. The operating
 * system allocates their memory as it is written to.
 *
 * The window is divided into parts by time, each with its own table. Only the newest part is written to. When
 * it is full, or its time is over, the oldest part is emptied and becomes the newest.
 */
export type RecentDigests = {
  /** All numbers of a digest, combined; undefined for one that was not added within the window. */
  get(digest: Digest, nowMs: number): number | undefined;
  add(digest: Digest, value: number, atMs: number): void;
  /** How many digests are kept. One that was added in several parts counts once for each. */
  readonly count: number;
  readonly bytes: number;
};

export type RecentDigestsOptions = {
  windowMs: number;
  maxBytes: number;
  /** How the numbers of one digest make one. Null: every number is 0. */
  combine: ((earlier: number, later: number) => number) | null;
};

/** Fewer parts make look-ups faster; with more of them less is lost when the oldest is emptied. */
const PARTS = 8;
/** The time of a part, as a share of the window. A digest is kept too long by that much at most. */
const SHARE_OF_WINDOW = 1 / 4;
const BYTES_OF_KEY = 8;
const BYTES_OF_VALUE = 8;
/** A full table has a free slot: one without would be searched for ever. */
const FEWEST_SLOTS = 8;

type Part = { table: DigestTable; openedAtMs: number; newestAtMs: number };

export const recentDigests = ({ windowMs, maxBytes, combine }: RecentDigestsOptions): RecentDigests => {
  const bytesOfSlot = BYTES_OF_KEY + (combine ? BYTES_OF_VALUE : 0);
  const slots = Math.max(FEWEST_SLOTS, Math.floor(maxBytes / PARTS / bytesOfSlot));
  const emptyPart = (): Part => ({
    table: new DigestTable(combine && Float64Array, slots),
    openedAtMs: 0,
    newestAtMs: 0,
  });
  let newest = emptyPart();
  /** Newest first. */
  const parts = [newest, ...Array.from({ length: PARTS - 1 }, emptyPart)];

  const begin = (atMs: number): void => {
    const openedAtMs = Math.max(atMs, newest.openedAtMs);
    newest = parts.pop() ?? newest;
    parts.unshift(newest);
    newest.table.clear();
    newest.openedAtMs = openedAtMs;
    newest.newestAtMs = atMs;
  };

  return {
    get: (digest, nowMs) => {
      const key = keyOf(digest);
      let found: number | undefined;
      for (const { table, newestAtMs } of parts) {
        if (table.count === 0 || newestAtMs + windowMs < nowMs) continue;
        const value = table.get(key);
        if (value === undefined) continue;
        if (combine === null) return value;
        found = found === undefined ? value : combine(value, found);
      }
      return found;
    },
    add: (digest, value, atMs) => {
      // Records of several partitions are not in the order of their times: only a later time can end a part.
      if (newest.table.count === 0) newest.openedAtMs = newest.newestAtMs = atMs;
      else if (newest.table.isFull || atMs > newest.openedAtMs + windowMs * SHARE_OF_WINDOW) begin(atMs);
      newest.newestAtMs = Math.max(newest.newestAtMs, atMs);
      const key = keyOf(digest);
      const earlier = newest.table.get(key);
      newest.table.set(key, combine && earlier !== undefined ? combine(earlier, value) : value);
    },
    get count() {
      return parts.reduce((sum, { table }) => sum + table.count, 0);
    },
    bytes: PARTS * slots * bytesOfSlot,
  };
};
