import type { TransactionStatusUpdated } from "../records.ts";
import type { Known } from "./translate.ts";

type InFlightEvent = Pick<TransactionStatusUpdated, "eventId" | "transactionId" | "direction" | "occurredAt">;
type Entry<Published> = { event: InFlightEvent; published: Promise<Published> };

/** The events that Kafka has not acknowledged yet, by transaction. */
export class InFlight<Published> {
  readonly #byTransaction = new Map<string, Entry<Published>[]>();

  /** What the event's acknowledgement is waited for with, where it is in flight. */
  find({ transactionId, eventId }: InFlightEvent): Promise<Published> | undefined {
    return this.#byTransaction.get(transactionId)?.find(({ event }) => event.eventId === eventId)?.published;
  }

  add(event: InFlightEvent, published: Promise<Published>): void {
    const entry = { event, published };
    const others = this.#byTransaction.get(event.transactionId);
    if (others) others.push(entry);
    else this.#byTransaction.set(event.transactionId, [entry]);
  }

  /** To be called once for each event that was added, whether it was acknowledged or not. */
  remove({ transactionId, eventId }: InFlightEvent): void {
    const left =
      this.#byTransaction.get(transactionId)?.filter(({ event }) => event.eventId !== eventId) ?? [];
    if (left.length > 0) this.#byTransaction.set(transactionId, left);
    else this.#byTransaction.delete(transactionId);
  }

  /** What is known of a transaction, counting what is in flight: one key has one partition, where it will stand before whatever comes next. */
  about(transactionId: string, known: Known): Known {
    const entries = this.#byTransaction.get(transactionId);
    if (!entries) return known;
    let { direction, latestOccurredAt } = known;
    for (const { event } of entries) {
      if (event.direction !== "UNKNOWN") direction = event.direction;
      if (event.occurredAt !== null)
        latestOccurredAt = Math.max(latestOccurredAt ?? event.occurredAt, event.occurredAt);
    }
    return { direction, latestOccurredAt };
  }
}
