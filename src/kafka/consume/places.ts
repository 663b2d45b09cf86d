import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../runtime/clock.ts";
import { isApart, troubleText, type Lack, type PartitionTrouble } from "../../runtime/health.ts";
import type { Log } from "../../runtime/log.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Mark } from "../mark.ts";
import type { Range } from "../ranges.ts";
import type { Fetched } from "./log-client.ts";
import { isDone, isUnreadable, newPlace, type Place } from "./place.ts";

/** What to read of a partition. `last`: a record before it that must still be there, unless retention has deleted it. */
type Start = Range & { last?: Mark | null };

type Deps = { clock: Pick<Clock, "monotonic" | "sleep">; log: Pick<Log, "info" | "warn" | "error"> };

/** Made once, because an abort without a reason makes an error with a stack each time. */
const IS_AWAITED = new Error("a record is waited for");

/** How far partitions are read, least recently served first. @param wake called when one may be fetched or looked up */
export const createPlaces = (topic: string, wake: () => void, { clock, log }: Deps, over: AbortSignal) => {
  const places = new Map<number, Place>();
  let hurry = new AbortController();
  let waitingPaces = 0;

  const add = (starts: ReadonlyMap<number, Start>): void => {
    for (const [partition, { startOffset, endOffset, last = null }] of starts) {
      const before = places.get(partition);
      const { reader = null, wasApart = false } = before ?? {};
      const place = Object.assign(newPlace(startOffset, endOffset, last), { reader, wasApart });
      // A partition that goes on where it stopped is in the same trouble as before, or in none.
      if (before?.next === startOffset && (before.lack === null || isUnreadable(before)))
        Object.assign(place, { lack: before.lack, failures: before.failures, answeredAt: before.answeredAt });
      places.set(partition, place);
    }
    wake();
  };
  const due = (): [number, Place][] => [...places].filter(([, place]) => place.isWanted && !isDone(place));
  const rest = async (place: Place, ms: number): Promise<void> => {
    place.isPaused = true;
    await clock.sleep(ms, over).catch(() => undefined);
    place.isPaused = false;
    wake();
  };

  return {
    byPartition: places,
    add,
    /** These partitions cannot be asked for their ranges: they have no leader until they are added. */
    miss: (partitions: Iterable<number>): void => {
      for (const partition of partitions) {
        const waiting = { isPaused: true, wasApart: true, lack: { kind: "noLeader" } as const };
        places.set(partition, Object.assign(newPlace(0, Infinity, null), waiting));
      }
    },
    due,
    rest,
    /** Says why these partitions are not read, and leaves them alone for a while. */
    fail: (failed: readonly [number, Place][], lack: Lack, ms: number): void => {
      const isNew = failed.some(([, { lack: before }]) => !isDeepStrictEqual(before, lack));
      for (const [, place] of failed) {
        // A connection that is lost says nothing new of a batch that cannot be read.
        if (lack.kind !== "failing" || !isUnreadable(place)) place.lack = lack;
        place.wasApart ||= isApart(lack);
        place.failures += 1;
        place.isSettled = false;
        void rest(place, ms);
      }
      if (!isNew || over.aborted) return;
      if (lack.kind === "unreadableBatch") {
        for (const [partition] of failed) {
          const reason = troubleText({ partition, ...lack });
          log.error({ topic, partition, offset: lack.offset, reason }, "kafka.batch.unreadable");
        }
        return;
      }
      const reason = lack.kind === "failing" ? lack.cause : "no leader";
      const offsets = Object.fromEntries(failed.map(([partition, { next }]) => [partition, next]));
      log.warn({ topic, reason, at: offsets }, "kafka.reader.lost");
    },
    heal: (answers: readonly Fetched[]): void => {
      const partitions: number[] = [];
      for (const { partition, error, next, endOffset } of answers) {
        const place = places.get(partition);
        if (!place) continue;
        place.answeredAt = clock.monotonic();
        const unreadableOffset = place.lack?.kind === "unreadableBatch" ? place.lack.offset : -1;
        // The last record before an unreadable batch is read again each time, and says nothing of the batch.
        if (error || (next <= unreadableOffset && unreadableOffset < endOffset)) continue;
        if (place.lack) partitions.push(partition);
        Object.assign(place, { lack: null, failures: 0 });
      }
      if (partitions.length > 0) log.info({ topic, partitions }, "kafka.reader.joined");
    },
    /** Lets records gather where nothing is left to read and nobody waits. An answer without records has waited at the broker. */
    pace: async (answers: readonly Fetched[], ms: number): Promise<void> => {
      const isDue = ({ partition, next, endOffset }: Fetched): boolean =>
        next < endOffset || (places.get(partition)?.awaited ?? -1) >= next;
      if (answers.every(({ records }) => records.length === 0) || answers.some(isDue)) return;
      waitingPaces += 1;
      await clock.sleep(ms, hurry.signal).catch(() => undefined);
      waitingPaces -= 1;
    },
    awaitRecord: ({ partition, offset }: RecordPosition): void => {
      const place = places.get(partition);
      if (!place || offset < place.next) return;
      place.awaited = Math.max(place.awaited, offset);
      if (waitingPaces === 0) return;
      hurry.abort(IS_AWAITED);
      hurry = new AbortController();
    },
    troubles: (): PartitionTrouble[] =>
      due().flatMap(([partition, { lack }]) => (lack ? [{ partition, ...lack }] : [])),
    wasApart: (partition: number): boolean => places.get(partition)?.wasApart ?? false,
    /** Stops reading a partition until it is added again, which needs no new connection. */
    drop: (partition: number): void => {
      const place = places.get(partition);
      if (place) place.isWanted = false;
    },
    /** Goes on at these offsets, and reads no other partitions. */
    focus: (positions: ReadonlyMap<number, number>): void => {
      for (const [partition, place] of places) {
        const next = positions.get(partition);
        place.isWanted = next !== undefined;
        // At another offset, it is not known which record stands before it.
        if (next !== undefined && next !== place.next)
          Object.assign(place, { next, last: null, isLastGone: false });
      }
      wake();
    },
  };
};
