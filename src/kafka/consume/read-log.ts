import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { disconnected, isApart, partitionsHealth, type Health } from "../../runtime/health.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import { linkedAbortController } from "../../runtime/abort.ts";
import type { Log } from "../../runtime/log.ts";
import type { NewClient } from "../client.ts";
import { protocolErrorOf } from "../errors.ts";
import { BatchError } from "../kafkajs-fixes/checked-batches.ts";
import type { Ranges } from "../ranges.ts";
import { openLogClient, type Fetched, type FetchOptions, type LogClient } from "./log-client.ts";
import { isDone, isUnreadable, PlaceLost, positionOf, takeFetched } from "./place.ts";
import type { LogHooks, Place } from "./place.ts";
import { createReadPlaces, type Lasts } from "./places.ts";

export type LogOptions = FetchOptions & {
  topic: string;
  ranges: Ranges;
  lasts?: Lasts | undefined;
  /** Whether it ends where the ranges end, or never. */
  toEnd: boolean;
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

/** Reads partitions of one leader. The one that was served last is the last of the order. */
type Reader = { client: LogClient; leader: number; order: number[] };

const BACKOFF = { baseMs: 200, maxMs: 3_000 };
const LATER = { baseMs: 100, maxMs: 30_000 };
/** Such a batch is fetched and unpacked again each time. */
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
 * Reads partitions of a topic from given offsets on, each record once, whatever happens to brokers meanwhile, and
 * commits nothing. Trouble of a partition, or of a leader, does not stop the others: what failed is looked up again
 * over a new connection. Then, and after a pause, the last record of a partition must still be there.
 */
export const readLog = (
  { topic, ranges, lasts, toEnd, paceMs = 0, ...fetchOptions }: LogOptions,
  hooks: LogHooks,
  { newClient, clock, log, random }: LogDeps,
  signal: AbortSignal,
) => {
  /** The state of the connections, while all partitions fail. */
  let fault: Health = CONNECTING;
  /** By the leader's node id, and whether its partitions have batches that cannot be read. */
  const readers = new Map<string, Reader>();
  const readerOf = new Map<number, Reader>();
  /** Its reason is the first cause. */
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
    const end = (): void => {
      wake();
      if (over.signal.reason === ALL_READ) resolve();
      else reject(over.signal.reason as Error);
    };
    if (isOver()) end();
    else over.signal.addEventListener("abort", end, { once: true });
  });

  const places = createReadPlaces({ topic, toEnd }, { clock, log, wake }, over.signal);
  const { byPartition, due, fail, rest } = places;
  const endIfDone = (): void => {
    if (toEnd && [...byPartition.values()].every(isDone)) over.abort(ALL_READ);
  };

  const leaveReader = (partition: number): void => {
    const reader = readerOf.get(partition);
    if (reader) reader.order = reader.order.filter((other) => other !== partition);
    readerOf.delete(partition);
  };
  /** Their leaders are looked up again. */
  const lose = (lost: readonly [number, Place][], error: unknown): void => {
    for (const [partition] of lost) leaveReader(partition);
    fault = disconnected(error, fault, clock);
    const failures = Math.max(...lost.map(([, place]) => place.failures));
    fail(lost, { kind: "failing", cause: messageOf(error) }, backoffMs(BACKOFF, failures, random()));
  };

  /** Ends reading, or that of one partition where the caller goes on with it. */
  const giveUp = (error: unknown): void => {
    if (!(error instanceof PlaceLost && hooks.lost)) {
      over.abort(error);
      return;
    }
    leaveReader(error.partition);
    places.remove(error.partition);
    hooks.lost(error);
  };

  const failed = (partition: number, place: Place, error: Error): void => {
    const cause = messageOf(error);
    if (error instanceof BatchError) {
      // It is unpacked again at each try: partitions that share its connection would wait.
      if (!isUnreadable(place)) leaveReader(partition);
      const trouble = { kind: "unreadableBatch", offset: place.next, cause } as const;
      fail([[partition, place]], trouble, doubled(UNREADABLE, place.failures));
    } else if (protocolErrorOf(error) !== "OFFSET_OUT_OF_RANGE") lose([[partition, place]], error);
    else if (++place.outOfRange >= LOOKS) {
      const why = `it does not hold offset ${positionOf(place)} any more`;
      giveUp(new PlaceLost(partition, `it is another log than before: ${why}`));
    } else if (positionOf(place) < place.next) place.isLastGone = true;
    else fail([[partition, place]], { kind: "failing", cause }, LOOK_EVERY_MS);
  };

  const take = async (reader: Reader, fetched: Fetched): Promise<void> => {
    const { partition, from, records, error } = fetched;
    const place = byPartition.get(partition);
    // It may have been focused elsewhere meanwhile.
    if (!place || isOver() || positionOf(place) !== from) return;
    if (error) {
      failed(partition, place, error);
      return;
    }
    const outcome = await takeFetched(place, fetched, hooks, () => !isOver()).catch(giveUp);
    if (outcome === "later" && place.isWanted) void rest(place, doubled(LATER, place.tries++));
    if (records.length === 0) return;
    reader.order = [...reader.order.filter((other) => other !== partition), partition];
  };

  /** Reads from one leader until that fails, or it leads none of the partitions any more. */
  const follow = async (name: string, reader: Reader): Promise<void> => {
    try {
      while (!isOver() && reader.order.length > 0) {
        const positions = new Map<number, number>();
        for (const partition of reader.order) {
          const place = byPartition.get(partition);
          if (!place || isDone(place) || !place.isWanted || place.isPaused) continue;
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
        for (const fetched of answers) await take(reader, fetched);
        endIfDone();
        await yieldToEventLoop();
        if (paceMs > 0) await places.pace(answers, paceMs);
      }
    } catch (error) {
      lose(
        [...byPartition].filter(([partition]) => readerOf.get(partition) === reader),
        error,
      );
    } finally {
      readers.delete(name);
    }
  };

  /** Hands partitions to the readers of their leaders. */
  const lookUp = async (lost: readonly [number, Place][]): Promise<void> => {
    const client = await openLogClient(topic, newClient, clock);
    const leaderless: [number, Place][] = [];
    const started = new Map<string, Reader>();
    for (const [partition, place] of lost) {
      const leader = client.leaders.get(partition) ?? null;
      if (leader === null) {
        leaderless.push([partition, place]);
        continue;
      }
      const name = `${leader}${isUnreadable(place) ? " apart" : ""}`;
      const reader = readers.get(name) ?? { client, leader, order: [] };
      place.isSettled = false;
      reader.order.push(partition);
      readerOf.set(partition, reader);
      if (readers.has(name)) continue;
      readers.set(name, reader);
      started.set(name, reader);
    }
    if (leaderless.length > 0) fail(leaderless, { kind: "noLeader" }, LEADERLESS_MS);
    wake();
    void Promise.all([...started].map(([name, reader]) => follow(name, reader))).then(client.close);
  };

  const run = async (): Promise<void> => {
    while (!isOver()) {
      const lost = due().filter(([partition, place]) => !readerOf.has(partition) && !place.isPaused);
      if (lost.length === 0) await untilChanged();
      // Unreadable ones over a connection of their own.
      for (const group of Map.groupBy(lost, ([, place]) => isUnreadable(place)).values())
        await lookUp(group).catch((error: unknown) => lose(group, error));
    }
  };

  places.add(ranges, lasts);
  endIfDone();
  void run();

  return {
    /** Resolves when all is read. Rejects with an error of `take`, {@link PlaceLost}, and when the signal aborts. */
    ended,
    /** Why partitions are not read that should be. */
    troubles: places.troubles,
    wasApart: places.wasApart,
    health: (): Health => {
      const [troubles, count] = [places.troubles(), due().length];
      if (count === 0) return { kind: "up" };
      const isAway = troubles.length === count && !troubles.some(isApart);
      return isAway ? fault : partitionsHealth(topic, count, troubles);
    },
    awaitRecord: places.awaitRecord,
    add: places.add,
    /** Goes on at these offsets, and reads no other partitions. */
    focus: places.focus,
  };
};
