import { setMaxListeners } from "node:events";
import type { Mark } from "../mark.ts";
import type { Watermark } from "./watermark.ts";

/** What is known of a partition between gaining and losing it. */
export type Tenure = {
  /** Aborts when the partition is lost or the process stops. */
  readonly lost: AbortController;
  /** Null until the first record of a log of which nothing was committed: that one is read from its beginning. */
  watermark: Watermark | null;
  /** The offset that the group has from us; -1 for none. */
  committed: number;
  /** Why the partition is not read now: where to begin is being asked, another look is taken at its log, or it holds all that it may. */
  pausedFor: "place" | "look" | "room" | null;
  /** Whether a record came since reading began here or was interrupted: from then on each one follows on the last. */
  isSettled: boolean;
  /** How often in a row the log has begun anew below what was read. */
  looks: number;
  /** How far a log was read in whose place another one was found, of which nothing was read yet. */
  replacedAt: number | null;
};

export const newTenure = (): Tenure => {
  const lost = new AbortController();
  // Each record under way listens to it.
  setMaxListeners(0, lost.signal);
  return {
    lost,
    watermark: null,
    committed: -1,
    pausedFor: "place",
    isSettled: false,
    looks: 0,
    replacedAt: null,
  };
};

/** The offset to read from: that of the last record, which is read once more to see that the log is still the same one. */
export const readFrom = ({ watermark }: Tenure): number =>
  watermark ? (watermark.last?.offset ?? watermark.next) : 0;

/** How the first record of a fetch stands to what was read before. */
export type Arrival =
  | "follows"
  /** It is behind the one that was expected. */
  | "leaves a gap"
  /** It is before the one that was asked for: kafkajs found no such offset, and has begun at the log's beginning. */
  | "starts over"
  /** Another record stood in its place. */
  | "belongs to another log";

export const arrivalOf = (
  { watermark, isSettled }: { watermark: Pick<Watermark, "next" | "last">; isSettled: boolean },
  first: Mark,
): Arrival => {
  const known = isSettled ? null : watermark.last;
  const from = known?.offset ?? watermark.next;
  if (first.offset < from) return "starts over";
  if (first.offset > from) return "leaves a gap";
  return known && known.timestampMs !== first.timestampMs ? "belongs to another log" : "follows";
};
