import type { Direction, TransactionStatusUpdated } from "../records.ts";

/** What earlier events of a transaction tell about it. */
export type Known = {
  /** The direction that one of them proved. */
  direction: Direction;
  /** The latest occurredAt among them, null when none had one. */
  latestOccurredAt: number | null;
};

export const NOTHING_KNOWN: Known = { direction: "UNKNOWN", latestOccurredAt: null };

const later = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

/** What is known with another event. */
export const knownWith = (
  known: Known,
  { direction, occurredAt }: Pick<TransactionStatusUpdated, "direction" | "occurredAt">,
): Known => ({
  direction: direction === "UNKNOWN" ? known.direction : direction,
  latestOccurredAt: later(known.latestOccurredAt, occurredAt),
});

export const combined = (a: Known, b: Known): Known =>
  knownWith(a, { direction: b.direction, occurredAt: b.latestOccurredAt });
