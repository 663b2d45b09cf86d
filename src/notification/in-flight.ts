import { wordOf, type Digest } from "../runtime/digest.ts";
import type { WindowEvent } from "./identity.ts";
import { factsWith, type TransactionFacts } from "./transaction-facts.ts";

const BUCKETS = 1_024;

/**
 * The events that Kafka has not acknowledged yet. `Published` is what an acknowledgement resolves with.
 *
 * A hash table of arrays, not a Map, for the reason given at LinkedList.
 */
export class InFlight<Published> {
  readonly #buckets = Array.from(
    { length: BUCKETS },
    (): (WindowEvent & { published: Promise<Published> })[] => [],
  );

  #bucketOf(transaction: Digest) {
    return this.#buckets[wordOf(transaction, 0) % BUCKETS] ?? [];
  }

  /** The pending acknowledgement of an event; undefined when it is not in flight. */
  find({ identity, transaction }: WindowEvent): Promise<Published> | undefined {
    return this.#bucketOf(transaction).find((entry) => entry.identity === identity)?.published;
  }

  add(event: WindowEvent, published: Promise<Published>): void {
    this.#bucketOf(event.transaction).push({ ...event, published });
  }

  /** Must be called once for each event that was added, whether it was acknowledged or failed. */
  remove({ identity, transaction }: WindowEvent): void {
    const bucket = this.#bucketOf(transaction);
    const at = bucket.findIndex((entry) => entry.identity === identity);
    if (at !== -1) bucket.splice(at, 1);
  }

  /**
   * Adds the events in flight to the facts about a transaction. They count before they are acknowledged,
   * because a transaction's events share a partition and are appended in the order of their requests.
   */
  factsOf(transaction: Digest, facts: TransactionFacts): TransactionFacts {
    return this.#bucketOf(transaction).reduce(
      (sum, entry) => (entry.transaction === transaction ? factsWith(sum, entry) : sum),
      facts,
    );
  }
}
