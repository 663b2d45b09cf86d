import type { TransactionStatusUpdated } from "../records.ts";
import { knownWith, type Known } from "./known.ts";

type InFlightEvent = Pick<TransactionStatusUpdated, "transactionId" | "direction" | "occurredAt">;
type Entry<Published> = { identity: string; event: InFlightEvent; published: Promise<Published> };

/** The events that Kafka has not acknowledged yet, by transaction. */
export class InFlight<Published> {
  readonly #byTransaction = new Map<string, readonly Entry<Published>[]>();

  /** What the acknowledgement of this notification's event is waited for with, where it is in flight. */
  find(transactionId: string, identity: string): Promise<Published> | undefined {
    return this.#byTransaction.get(transactionId)?.find((entry) => entry.identity === identity)?.published;
  }

  add(entry: Entry<Published>): void {
    const { transactionId } = entry.event;
    this.#byTransaction.set(transactionId, [...(this.#byTransaction.get(transactionId) ?? []), entry]);
  }

  /** To be called once for each event that was added, whether it was acknowledged or not. */
  remove(transactionId: string, identity: string): void {
    const left = this.#byTransaction.get(transactionId)?.filter((entry) => entry.identity !== identity) ?? [];
    if (left.length > 0) this.#byTransaction.set(transactionId, left);
    else this.#byTransaction.delete(transactionId);
  }

  /** What is known of a transaction, counting what is in flight: one key has one partition, where it will stand before whatever comes next. */
  about(transactionId: string, known: Known): Known {
    const entries = this.#byTransaction.get(transactionId) ?? [];
    return entries.reduce((sum, { event }) => knownWith(sum, event), known);
  }
}
