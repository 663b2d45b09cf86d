import type { TransactionStatusUpdated } from "../records.ts";
import type { Digest } from "../runtime/digest.ts";
import { factsWith, type TransactionFacts } from "./transaction-facts.ts";

type InFlightEvent = Pick<TransactionStatusUpdated, "transactionId" | "direction" | "occurredAt">;
type Entry<Published> = { identity: Digest; event: InFlightEvent; published: Promise<Published> };

/**
 * The events that Kafka has not acknowledged yet, by transaction. `Published` is what an acknowledgement
 * resolves with.
 */
export class InFlight<Published> {
  readonly #byTransaction = new Map<string, Entry<Published>[]>();

  /** The pending acknowledgement of a notification's event; undefined when it is not in flight. */
  find(transactionId: string, identity: Digest): Promise<Published> | undefined {
    return this.#byTransaction.get(transactionId)?.find((entry) => entry.identity === identity)?.published;
  }

  add(entry: Entry<Published>): void {
    const { transactionId } = entry.event;
    const others = this.#byTransaction.get(transactionId);
    if (others) others.push(entry);
    else this.#byTransaction.set(transactionId, [entry]);
  }

  /** Must be called once for each event that was added, whether it was acknowledged or failed. */
  remove(transactionId: string, identity: Digest): void {
    const entries = this.#byTransaction.get(transactionId) ?? [];
    const at = entries.findIndex((entry) => entry.identity === identity);
    if (at !== -1) entries.splice(at, 1);
    if (entries.length === 0) this.#byTransaction.delete(transactionId);
  }

  /**
   * Adds the events in flight to the facts about a transaction. They count before they are acknowledged,
   * because a transaction's events share a partition and are appended in the order of their requests.
   */
  factsOf(transactionId: string, facts: TransactionFacts): TransactionFacts {
    const entries = this.#byTransaction.get(transactionId);
    return entries ? entries.reduce((sum, { event }) => factsWith(sum, event), facts) : facts;
  }
}
