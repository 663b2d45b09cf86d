import type { Direction, TransactionStatusUpdated } from "../records.ts";

export type TransactionFacts = {
  /** UNKNOWN until a status that occurs in one direction only. */
  direction: Direction;
  /** The latest occurredAt; null when no event has one. */
  latestOccurredAt: number | null;
};

export const NO_FACTS: TransactionFacts = { direction: "UNKNOWN", latestOccurredAt: null };

const later = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

export const factsWith = (
  facts: TransactionFacts,
  { direction, occurredAt }: Pick<TransactionStatusUpdated, "direction" | "occurredAt">,
): TransactionFacts => ({
  direction: direction === "UNKNOWN" ? facts.direction : direction,
  latestOccurredAt: later(facts.latestOccurredAt, occurredAt),
});

export const mergedFacts = (a: TransactionFacts, b: TransactionFacts): TransactionFacts =>
  factsWith(a, { direction: b.direction, occurredAt: b.latestOccurredAt });

const DIRECTIONS = ["UNKNOWN", "INBOUND", "OUTBOUND"] as const satisfies readonly Direction[];
/** Stands for null: earlier than any instant with a four-digit year. */
const NEVER_MS = -1e14;

/** Both facts in one number, for millions of transactions: epoch milliseconds, times three, plus the direction. */
export const packFacts = ({ direction, latestOccurredAt }: TransactionFacts): number =>
  (latestOccurredAt ?? NEVER_MS) * DIRECTIONS.length + DIRECTIONS.indexOf(direction);

export const unpackFacts = (packed: number): TransactionFacts => {
  const occurredAt = Math.floor(packed / DIRECTIONS.length);
  return {
    direction: DIRECTIONS[packed - occurredAt * DIRECTIONS.length] ?? "UNKNOWN",
    latestOccurredAt: occurredAt === NEVER_MS ? null : occurredAt,
  };
};
