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

const DIRECTIONS = ["UNKNOWN", "INBOUND", "OUTBOUND"] as const satisfies readonly Direction[];
/** Before all instants that can be written with a year of four digits. */
const NEVER_MS = -1e14;

/** Both facts in one number, for tables of millions: whole milliseconds since the epoch, times three, and the direction's index. */
export const packKnown = ({ direction, latestOccurredAt }: Known): number =>
  (latestOccurredAt ?? NEVER_MS) * DIRECTIONS.length + DIRECTIONS.indexOf(direction);

export const unpackKnown = (packed: number): Known => {
  const occurredAt = Math.floor(packed / DIRECTIONS.length);
  return {
    direction: DIRECTIONS[packed - occurredAt * DIRECTIONS.length] ?? "UNKNOWN",
    latestOccurredAt: occurredAt === NEVER_MS ? null : occurredAt,
  };
};
