import type { Incoming } from "../record.ts";
import type { Fetched } from "./log-client.ts";
import { PlaceLost, settle, type Place } from "./place.ts";

export type LogHooks = {
  /**
   * Takes one record. Those of a partition come in order; the next one comes when a promise is fulfilled. False if it
   * does not follow the last one: reading ends. `later` if it cannot be taken yet: it comes again after a while.
   */
  take: (record: Incoming) => boolean | "later" | Promise<boolean>;
  /**
   * From `from` to before `next` stand only transaction markers and aborted records. (Not what compaction has left: an
   * entry that is gone must not be passed over.)
   */
  absent?: ((partition: number, from: number, next: number) => void) | undefined;
  /** Everything before this offset was read, including offsets without a record. */
  reached?: ((partition: number, next: number) => void) | undefined;
};

/** Goes on to `next`, and says so if nothing is missing before it. */
const pass = (place: Place, { partition, isHidden }: Fetched, next: number, { absent }: LogHooks): void => {
  if (next > place.next && isHidden(place.next, next)) absent?.(partition, place.next, next);
  place.next = Math.max(place.next, next);
};

/**
 * Takes the records that were fetched of a partition, until one cannot be taken yet. @throws PlaceLost
 * @param isCurrent false: the connection was given up, and reading goes on elsewhere
 */
export const takeFetched = async (
  place: Place,
  fetched: Fetched,
  hooks: LogHooks,
  isCurrent: () => boolean,
): Promise<"all" | "later"> => {
  settle(place, fetched);
  for (const record of fetched.records) {
    const { offset, timestampMs } = record;
    if (offset < place.next) continue;
    if (offset >= place.end) break;
    pass(place, fetched, offset, hooks);
    const { last } = place;
    // Advanced first: if the connection is replaced while it is taken, reading goes on after this record.
    Object.assign(place, { next: offset + 1, last: { offset, timestampMs } });
    const answer = hooks.take(record);
    const taken = answer instanceof Promise ? await answer : answer;
    if (taken === "later") {
      Object.assign(place, { next: offset, last });
      return "later";
    }
    if (!taken) throw new PlaceLost(`offset ${offset} does not follow what was read before`);
    place.tries = 0;
    if (!isCurrent()) return "all";
  }
  pass(place, fetched, fetched.next, hooks);
  hooks.reached?.(fetched.partition, place.next);
  return "all";
};
