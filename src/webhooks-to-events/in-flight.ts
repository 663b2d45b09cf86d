import { wordOfHex } from "./digest-segments.ts";

type Entry<Value> = { readonly eventId: string; readonly value: Value; next: Entry<Value> | null };

/** So many bits of an id choose its chain: thousands of ids are in flight at most. */
const CHAIN_BITS = 10;

/** What is known by an event's id for as long as the event is on its way. In place of a Map, whose tables have the fault of a Set's: see `LinkedList`. */
export class InFlight<Value> {
  readonly #chains: (Entry<Value> | null)[] = Array.from({ length: 1 << CHAIN_BITS }, () => null);

  find(eventId: string): Value | undefined {
    let entry = this.#chains[chainOf(eventId)] ?? null;
    while (entry !== null && entry.eventId !== eventId) entry = entry.next;
    return entry?.value;
  }

  /** An id that is not in flight. */
  add(eventId: string, value: Value): void {
    const chain = chainOf(eventId);
    this.#chains[chain] = { eventId, value, next: this.#chains[chain] ?? null };
  }

  remove(eventId: string): void {
    const chain = chainOf(eventId);
    let before: Entry<Value> | null = null;
    for (let entry = this.#chains[chain] ?? null; entry !== null; before = entry, entry = entry.next) {
      if (entry.eventId !== eventId) continue;
      if (before === null) this.#chains[chain] = entry.next;
      else before.next = entry.next;
      entry.next = null;
      return;
    }
  }
}

/** Ids are digests: their first bits are as good as any hash. */
const chainOf = (eventId: string): number => wordOfHex(eventId, 0) >>> (32 - CHAIN_BITS);
