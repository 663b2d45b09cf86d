import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { disconnected, isApart, partitionsHealth, type Health } from "../../runtime/health.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import { linkedAbortController, onAbort } from "../../runtime/abort.ts";
import type { Log } from "../../runtime/log.ts";
import type { NewClient } from "../client.ts";
import { protocolErrorOf } from "../errors.ts";
import { BatchError } from "../kafkajs-fixes/checked-batches.ts";
import { openLogClient, type Fetched, type FetchOptions } from "./log-client.ts";
import { isDone, isUnreadable, PlaceLost, positionOf, takeFetched } from "./place.ts";
import type { LogHooks, Place, Reader } from "./place.ts";
import { createPlaces } from "./places.ts";

export type LogOptions = FetchOptions & {
  topic: string;
  /** It ends when all that was added is read. Else more may be added. */
  endsWhenRead?: boolean;
  /** At the log's end the next fetch begins so much later, or at once for a record that is awaited. */
  paceMs?: number | undefined;
};

export type LogDeps = {
  newClient: NewClient;
  clock: Clock;
  log: Pick<Log, "info" | "warn" | "error">;
  random: () => number;
};

export type LogReading = ReturnType<typeof readLog>;

const BACKOFF = { baseMs: 200, maxMs: 3_000 };
const LATER = { baseMs: 100, maxMs: 30_000 };
/** Waits before a batch that cannot be read, since it is fetched and unpacked again at each try. */
const UNREADABLE = { baseMs: 2_000, maxMs: 30_000 };
/** A broker that was frozen may report an old end for a moment. The first look is at the last record that was read. */
const LOOKS = 5;
const LOOK_EVERY_MS = 500;
/** After a longer pause the log is checked: only a fetch that failed shows that a topic was deleted. */
const RECHECK_AFTER_MS = 100;
const LEADERLESS_MS = 2_000;
const LONG_MS = 60_000;
const CONNECTING: Health = { kind: "starting" };
const ALL_READ = "all was read";

const doubled = ({ baseMs, maxMs }: typeof LATER, times: number): number =>
  Math.min(baseMs * 2 ** times, maxMs);

/**
 * Reads each record once from given offsets, whatever happens to brokers, and commits nothing. Trouble of a partition
 * or a leader does not stop the others. After trouble, the last record must still be there.
 * @param signal has not aborted yet
 */
export const readLog = (
  { topic, endsWhenRead = false, paceMs = 0, ...fetchOptions }: LogOptions,
  hooks: LogHooks,
  { newClient, clock, log, random }: LogDeps,
  signal: AbortSignal,
) => {
  /** The health while all partitions fail, as of the last connection. */
  let fault: Health = CONNECTING;
  const readers = new Set<Reader>();
  /** Aborts when reading ends. Its reason is the first cause. */
  const over = linkedAbortController(signal);
  const isOver = (): boolean => over.signal.aborted;
  /** Aborts when there may be something to fetch, or to look up. */
  let changed = new AbortController();
  const wake = (): void => {
    changed.abort();
    changed = new AbortController();
  };
  const untilChanged = (): Promise<void> => clock.sleep(LONG_MS, changed.signal).catch(() => undefined);
  const ended = new Promise<void>((resolve, reject) => {
    onAbort(over.signal, () => {
      wake();
      if (over.signal.reason === ALL_READ) resolve();
      else reject(over.signal.reason as Error);
    });
  });

  const places = createPlaces(topic, wake, { clock, log }, over.signal);
  const { byPartition, due, fail, rest } = places;
  const endIfRead = (): void => {
    if (endsWhenRead && [...byPartition.values()].every(isDone)) over.abort(ALL_READ);
  };

  const lose = (lost: readonly [number, Place][], error: unknown): void => {
    for (const [, place] of lost) place.reader = null;
    fault = disconnected(error, fault, clock);
    const failures = Math.max(0, ...lost.map(([, place]) => place.failures));
    const lack = { kind: "failing", cause: messageOf(error) } as const;
    fail(
      lost.filter(([, { isWanted }]) => isWanted),
      lack,
      backoffMs(BACKOFF, failures, random()),
    );
  };

  const giveUp = (error: unknown): void => {
    if (!(error instanceof PlaceLost && hooks.lost)) {
      over.abort(error);
      return;
    }
    places.drop(error.partition);
    hooks.lost(error.partition);
  };

  const failed = (partition: number, place: Place, error: Error): void => {
    const cause = messageOf(error);
    if (error instanceof BatchError) {
      // It is unpacked again at each try: partitions that share its connection would wait.
      if (!isUnreadable(place)) place.reader = null;
      const trouble = { kind: "unreadableBatch", offset: place.next, cause } as const;
      fail([[partition, place]], trouble, doubled(UNREADABLE, place.failures));
    } else if (protocolErrorOf(error) !== "OFFSET_OUT_OF_RANGE") lose([[partition, place]], error);
    else if (++place.outOfRange >= LOOKS) {
      const why = `it does not hold offset ${positionOf(place)} any more`;
      giveUp(new PlaceLost(partition, `it is another log than before: ${why}`));
    } else if (positionOf(place) < place.next) place.isLastGone = true;
    else fail([[partition, place]], { kind: "failing", cause }, LOOK_EVERY_MS);
  };

  const take = async (fetched: Fetched): Promise<void> => {
    const { partition, from, records, error } = fetched;
    const place = byPartition.get(partition);
    // It may have been dropped, or focused elsewhere, meanwhile.
    if (!place?.isWanted || isOver() || positionOf(place) !== from) return;
    if (error) {
      failed(partition, place, error);
      return;
    }
    const outcome = await takeFetched(place, fetched, hooks, () => !isOver()).catch(giveUp);
    if (outcome === "later") void rest(place, doubled(LATER, place.tries++));
    if (records.length === 0 || byPartition.get(partition) !== place) return;
    byPartition.delete(partition);
    byPartition.set(partition, place);
  };

  const follow = async (reader: Reader): Promise<void> => {
    const ours = (): [number, Place][] => [...byPartition].filter(([, place]) => place.reader === reader);
    try {
      for (let mine = ours(); !isOver() && mine.length > 0; mine = ours()) {
        const positions = new Map<number, number>();
        for (const [partition, place] of mine) {
          if (isDone(place) || !place.isWanted || place.isPaused) continue;
          if (clock.monotonic() - place.answeredAt > RECHECK_AFTER_MS) place.isSettled = false;
          positions.set(partition, positionOf(place));
        }
        if (positions.size === 0) {
          await untilChanged();
          continue;
        }
        const answers = await reader.client.fetch(reader.leader, positions, fetchOptions);
        places.heal(answers);
        fault = CONNECTING;
        for (const fetched of answers) await take(fetched);
        endIfRead();
        await yieldToEventLoop();
        if (paceMs > 0) await places.pace(answers, paceMs);
      }
    } catch (error) {
      lose(ours(), error);
    } finally {
      readers.delete(reader);
    }
  };

  const lookUp = async (lost: readonly [number, Place][], isForUnreadable: boolean): Promise<void> => {
    const client = await openLogClient(topic, newClient, clock);
    const leaderless: [number, Place][] = [];
    const opened: Reader[] = [];
    for (const [partition, place] of lost) {
      const leader = client.leaders.get(partition);
      if (leader === undefined) {
        leaderless.push([partition, place]);
        continue;
      }
      place.isSettled = false;
      place.reader =
        [...readers].find((one) => one.leader === leader && one.isForUnreadable === isForUnreadable) ?? null;
      if (place.reader !== null) continue;
      place.reader = { client, leader, isForUnreadable };
      readers.add(place.reader);
      opened.push(place.reader);
    }
    if (leaderless.length > 0) fail(leaderless, { kind: "noLeader" }, LEADERLESS_MS);
    wake();
    void Promise.all(opened.map(follow)).then(client.close);
  };

  const run = async (): Promise<void> => {
    while (!isOver()) {
      const lost = due().filter(([, place]) => place.reader === null && !place.isPaused);
      if (lost.length === 0) await untilChanged();
      for (const [isForUnreadable, group] of Map.groupBy(lost, ([, place]) => isUnreadable(place)))
        await lookUp(group, isForUnreadable).catch((error: unknown) => lose(group, error));
    }
  };
  void run();

  return {
    /** Resolves when all is read. Rejects with an error of `take`, {@link PlaceLost}, and when the signal aborts. */
    ended,
    add: (...starts: Parameters<typeof places.add>): void => {
      places.add(...starts);
      endIfRead();
    },
    miss: places.miss,
    drop: places.drop,
    focus: places.focus,
    awaitRecord: places.awaitRecord,
    troubles: places.troubles,
    wasApart: places.wasApart,
    health: (): Health => {
      const [troubles, count] = [places.troubles(), due().length];
      if (count === 0) return { kind: "up" };
      const isAway = troubles.length === count && !troubles.some(isApart);
      return isAway ? fault : partitionsHealth(topic, count, troubles);
    },
  };
};
