import type { TransactionStatusUpdated } from "../records.ts";
import { factsWith, type TransactionFacts } from "./transaction-facts.ts";

type InFlightEvent = Pick<TransactionStatusUpdated, "transactionId" | "direction" | "occurredAt">;
type Entry<Published> = { identity: string; event: InFlightEvent; published: Promise<Published> };

/**
 * The events that Kafka has not acknowledged yet, by transaction. `Published` is what an acknowledgement
 * resolves with.
 */
export class InFlight<Published> {
  readonly #byTransaction = new Map<string, readonly Entry<Published>[]>();

  /** The pending acknowledgement of a notification's event; undefined when it is not in flight. */
  find(transactionId: string, identity: string): Promise<Published> | undefined {
    return this.#byTransaction.get(transactionId)?.find((entry) => entry.identity === identity)?.published;
  }

  add(entry: Entry<Published>): void {
    const { transactionId } = entry.event;
    this.#byTransaction.set(transactionId, [...(this.#byTransaction.get(transactionId) ?? []), entry]);
  }

  /** Must be called once for each event that was added, whether it was acknowledged or failed. */
  remove(transactionId: string, identity: string): void {
    const left = this.#byTransaction.get(transactionId)?.filter((entry) => entry.identity !== identity) ?? [];
    if (left.length > 0) this.#byTransaction.set(transactionId, left);
    else this.#byTransaction.delete(transactionId);
  }

  /**
   * Adds the events in flight to the facts about a transaction. They count before they are acknowledged,
   * because a transaction's events share a partition and are appended in the order of their requests.
   */
  factsOf(transactionId: string, facts: TransactionFacts): TransactionFacts {
    const entries = this.#byTransaction.get(transactionId) ?? [];
    return entries.reduce((sum, { event }) => factsWith(sum, event), facts);
  }
}
