import type { Digest } from "../runtime/digest.ts";
import type { WindowEvent } from "./identity.ts";
import { factsWith, type TransactionFacts } from "./transaction-facts.ts";

type Entry<Published> = WindowEvent & { published: Promise<Published> };

/**
 * The events that Kafka has not acknowledged yet, by transaction. `Published` is what an acknowledgement
 * resolves with.
 */
export class InFlight<Published> {
  readonly #byTransaction = new Map<Digest, Entry<Published>[]>();

  /** The pending acknowledgement of an event; undefined when it is not in flight. */
  find({ identity, transaction }: WindowEvent): Promise<Published> | undefined {
    return this.#byTransaction.get(transaction)?.find((entry) => entry.identity === identity)?.published;
  }

  add(event: WindowEvent, published: Promise<Published>): void {
    const entry = { ...event, published };
    const others = this.#byTransaction.get(event.transaction);
    if (others) others.push(entry);
    else this.#byTransaction.set(event.transaction, [entry]);
  }

  /** Must be called once for each event that was added, whether it was acknowledged or failed. */
  remove({ identity, transaction }: WindowEvent): void {
    const entries = this.#byTransaction.get(transaction) ?? [];
    const at = entries.findIndex((entry) => entry.identity === identity);
    if (at !== -1) entries.splice(at, 1);
    if (entries.length === 0) this.#byTransaction.delete(transaction);
  }

  /**
   * Adds the events in flight to the facts about a transaction. They count before they are acknowledged,
   * because a transaction's events share a partition and are appended in the order of their requests.
   */
  factsOf(transaction: Digest, facts: TransactionFacts): TransactionFacts {
    const entries = this.#byTransaction.get(transaction);
    return entries ? entries.reduce((sum, entry) => factsWith(sum, entry), facts) : facts;
  }
}
