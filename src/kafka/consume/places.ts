import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../runtime/clock.ts";
import { isApart, troubleText, type Lack, type PartitionTrouble } from "../../runtime/health.ts";
import type { Log } from "../../runtime/log.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Mark } from "../mark.ts";
import type { Ranges } from "../ranges.ts";
import type { Fetched } from "./log-client.ts";
import { isDone, isUnreadable, moveTo, newPlace, type Place } from "./place.ts";

type Options = {
  topic: string;
  toEnd: boolean;
};
/** By partition, the last record that was read before: it must still be there, unless retention has deleted it. */
export type Lasts = ReadonlyMap<number, Mark | null>;
/** `wake`: called when there may be something to fetch, or to look up. */
type Deps = {
  clock: Pick<Clock, "monotonic" | "sleep">;
  log: Pick<Log, "info" | "warn" | "error">;
  wake: () => void;
};

/** Made once: an abort without a reason makes an error with a stack each time. */
const IS_AWAITED = new Error("a record is waited for");

/** How far the partitions of a reading are, and why some are not read. */
export const createReadPlaces = (
  { topic, toEnd }: Options,
  { clock, log, wake }: Deps,
  over: AbortSignal,
) => {
  const places = new Map<number, Place>();

  const add = (more: Ranges, lasts: Lasts = new Map()): void => {
    for (const [partition, { startOffset, endOffset }] of more)
      places.set(
        partition,
        newPlace(startOffset, toEnd ? endOffset : Infinity, lasts.get(partition) ?? null),
      );
    wake();
  };
  /** The partitions that are to be read now. */
  const due = (): [number, Place][] => [...places].filter(([, place]) => place.isWanted && !isDone(place));
  const rest = async (place: Place, ms: number): Promise<void> => {
    place.isPaused = true;
    await clock.sleep(ms, over).catch(() => undefined);
    place.isPaused = false;
    wake();
  };

  /** Says why these partitions are not read, and leaves them alone for a while. */
  const fail = (failed: readonly [number, Place][], lack: Lack, ms: number): void => {
    const isNew = failed.some(([, { lack: before }]) => !isDeepStrictEqual(before, lack));
    for (const [, place] of failed) {
      // A connection that is lost says nothing new of a batch that cannot be read.
      const stands = lack.kind === "failing" && isUnreadable(place);
      Object.assign(place, {
        lack: stands ? place.lack : lack,
        wasApart: place.wasApart || isApart(lack),
        failures: place.failures + 1,
        isSettled: false,
      });
      void rest(place, ms);
    }
    if (!isNew || over.aborted) return;
    const offsets = Object.fromEntries(failed.map(([partition, { next }]) => [partition, next]));
    for (const [partition] of lack.kind === "unreadableBatch" ? failed : []) {
      const reason = troubleText({ partition, ...lack });
      log.error({ topic, partition, offset: offsets[partition], reason }, "kafka.batch.unreadable");
    }
    if (lack.kind === "unreadableBatch") return;
    const reason = lack.kind === "failing" ? lack.cause : "no leader";
    log.warn({ topic, reason, at: offsets }, "kafka.reader.lost");
  };
  const heal = (answers: readonly Fetched[]): void => {
    const partitions: number[] = [];
    for (const { partition, error, next, endOffset } of answers) {
      const place = places.get(partition);
      if (!place) continue;
      place.answeredAt = clock.monotonic();
      const unread = place.lack?.kind === "unreadableBatch" ? place.lack.offset : -1;
      // The last record before an unreadable batch is read again each time, and says nothing of the batch.
      if (error || (next <= unread && unread < endOffset)) continue;
      if (place.lack) partitions.push(partition);
      Object.assign(place, { lack: null, failures: 0 });
    }
    if (partitions.length > 0) log.info({ topic, partitions }, "kafka.reader.joined");
  };

  let hurry = new AbortController();
  let paced = 0;
  /** Lets records gather where nothing is left to read and nobody waits. An answer without any has waited already. */
  const pace = async (answers: readonly Fetched[], ms: number): Promise<void> => {
    const isDue = ({ partition, next, endOffset }: Fetched): boolean =>
      next < endOffset || (places.get(partition)?.awaited ?? -1) >= next;
    if (answers.every(({ records }) => records.length === 0) || answers.some(isDue)) return;
    paced += 1;
    await clock.sleep(ms, hurry.signal).catch(() => undefined);
    paced -= 1;
  };
  /** Lets a record that exists be read at once. */
  const awaitRecord = ({ partition, offset }: RecordPosition): void => {
    const place = places.get(partition);
    if (!place || offset < place.next) return;
    place.awaited = Math.max(place.awaited, offset);
    if (paced === 0) return;
    hurry.abort(IS_AWAITED);
    hurry = new AbortController();
  };

  const troubles = (): PartitionTrouble[] =>
    due().flatMap(([partition, { lack }]) => (lack ? [{ partition, ...lack }] : []));

  return {
    byPartition: places as ReadonlyMap<number, Place>,
    add,
    due,
    rest,
    fail,
    heal,
    troubles,
    pace,
    awaitRecord,
    remove: (partition: number): void => void places.delete(partition),
    wasApart: (partition: number): boolean => places.get(partition)?.wasApart ?? false,
    focus: (positions: ReadonlyMap<number, number>): void => {
      for (const [partition, place] of places) {
        const next = positions.get(partition);
        place.isWanted = next !== undefined;
        if (next !== undefined) moveTo(place, next);
      }
      wake();
    },
  };
};
