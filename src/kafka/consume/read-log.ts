import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { disconnected, type Health } from "../../runtime/health.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import { linkedAbortController } from "../../runtime/linked-abort.ts";
import type { Log } from "../../runtime/log.ts";
import type { NewClient } from "../client.ts";
import { protocolErrorOf } from "../errors.ts";
import type { Mark } from "../mark.ts";
import { openLogClient, type FetchOptions, type LogClient } from "./log-client.ts";
import { isDone, moveTo, newPlace, PlaceLost, positionOf, takeFetched } from "./place.ts";
import type { LogHooks, Place } from "./place.ts";

/** The offsets that a partition holds: the first one to read, and the one after the last. */
export type Range = { startOffset: number; endOffset: number };
/** By partition. */
export type Ranges = ReadonlyMap<number, Range>;

export type LogOptions = FetchOptions & {
  topic: string;
  /** Where reading begins, by partition. */
  ranges: Ranges;
  /** By partition, the last record that was read before: it must still be there. */
  lasts?: ReadonlyMap<number, Mark | null>;
  /** Partitions whose last record is not there, as retention has deleted it: that must stay so. */
  gone?: ReadonlySet<number>;
  /** Whether it ends where the ranges end, or never. */
  toEnd: boolean;
};

export type LogDeps = {
  newClient: NewClient;
  clock: Clock;
  log: Pick<Log, "info" | "warn">;
  random: () => number;
};

export type LogReading = ReturnType<typeof readLog>;

const BACKOFF = { baseMs: 200, maxMs: 3_000 };
/** A connection that has lasted for so long was no failure. */
const RESET_BACKOFF_AFTER_MS = 60_000;
const LATER = { baseMs: 100, maxMs: 30_000 };
/** A broker that was frozen may report an old end for a moment. */
const LOOKS = 4;
const LOOK_EVERY_MS = 500;
/** After a longer pause the log is checked: only a fetch that failed shows that a topic was deleted. */
const RECHECK_AFTER_MS = 100;
const LEADERLESS_MS = 2_000;
const LONG_MS = 60_000;
const ALL_READ = "all was read";

/**
 * Reads partitions of a topic from given offsets on, each record once, whatever happens to brokers meanwhile, and
 * commits nothing. After a failure the connection is replaced. Then, and after a pause, the last record of each
 * partition must still be there.
 */
export const readLog = (
  { topic, ranges, lasts, gone, toEnd, ...fetchOptions }: LogOptions,
  hooks: LogHooks,
  { newClient, clock, log, random }: LogDeps,
  signal: AbortSignal,
) => {
  const places = new Map<number, Place>();
  for (const [partition, { startOffset, endOffset }] of ranges) {
    const last = lasts?.get(partition) ?? null;
    const isLastGone = gone?.has(partition) ?? false;
    places.set(partition, newPlace(startOffset, toEnd ? endOffset : Infinity, last, isLastGone));
  }
  let fault: Health | null = { kind: "starting" };
  /** The last reason that was logged. */
  let reasonLogged: string | null = null;
  /** Its reason is the first cause. */
  const over = linkedAbortController(signal);
  const isOver = (): boolean => over.signal.aborted;
  /** Aborts when there may be something to fetch. */
  let changed = new AbortController();
  const wake = (): void => {
    changed.abort();
    changed = new AbortController();
  };
  const ended = new Promise<void>((resolve, reject) => {
    const end = (): void => {
      wake();
      if (over.signal.reason === ALL_READ) resolve();
      else reject(over.signal.reason as Error);
    };
    if (isOver()) end();
    else over.signal.addEventListener("abort", end, { once: true });
  });
  /** A partition has no leader: the others are read, and the reading counts as failed. */
  let isLeaderless = false;
  const works = (): void => {
    if (isLeaderless) return;
    if (fault !== null) log.info({ topic, partitions: [...places.keys()] }, "kafka.reader.joined");
    fault = null;
    reasonLogged = null;
  };
  const endIfDone = (): void => {
    if (toEnd && [...places.values()].every(isDone)) over.abort(ALL_READ);
  };

  const pause = async (place: Place): Promise<void> => {
    place.isPaused = true;
    const ms = Math.min(LATER.baseMs * 2 ** place.tries++, LATER.maxMs);
    await clock.sleep(ms, over.signal).catch(() => undefined);
    place.isPaused = false;
    wake();
  };

  /** Of a partition whose log does not hold the offset: after some looks its place is lost. */
  const noteOutOfRange = (error: unknown): void => {
    const partition = (error as { partition?: number }).partition ?? -1;
    const place = places.get(partition);
    if (!place || ++place.outOfRange < LOOKS) return;
    over.abort(
      new PlaceLost(
        partition,
        `it is another log than before: it does not hold offset ${positionOf(place)} any more`,
      ),
    );
  };

  /** Fetches from one leader until this connection is given up. */
  const followLeader = async (
    client: LogClient,
    leader: number | null,
    partitions: readonly number[],
    connection: AbortSignal,
  ): Promise<void> => {
    if (leader === null) {
      await clock.sleep(LEADERLESS_MS, connection);
      throw new Error(`partition ${partitions[0]} of ${topic} has no leader`);
    }
    let answeredAt = clock.monotonic();
    /** Those that were served last come last: an answer is bounded, and the first ones fill it. */
    let order = partitions;
    while (!connection.aborted) {
      const isLate = clock.monotonic() - answeredAt > RECHECK_AFTER_MS;
      const positions = new Map<number, number>();
      for (const partition of order) {
        const place = places.get(partition);
        if (!place || isDone(place) || !place.isWanted || place.isPaused) continue;
        if (isLate) place.isSettled = false;
        positions.set(partition, positionOf(place));
      }
      if (positions.size === 0) {
        works();
        await clock.sleep(LONG_MS, changed.signal).catch(() => undefined);
        continue;
      }
      const answers = await client.fetch(leader, positions, fetchOptions);
      answeredAt = clock.monotonic();
      works();
      for (const fetched of answers) {
        const { partition, from, records } = fetched;
        const place = places.get(partition);
        const isCurrent = (): boolean => !connection.aborted;
        // It may have been focused elsewhere meanwhile.
        if (!place || !isCurrent() || positionOf(place) !== from) continue;
        const taken = await takeFetched(place, fetched, hooks, isCurrent).catch((error: unknown) =>
          over.abort(error),
        );
        if (taken === "later" && place.isWanted) void pause(place);
        if (records.length > 0) order = [...order.filter((other) => other !== partition), partition];
      }
      endIfDone();
      await yieldToEventLoop();
    }
  };

  const connectOnce = async (): Promise<void> => {
    isLeaderless = false;
    const client = await openLogClient(topic, newClient, clock);
    const connection = linkedAbortController(over.signal);
    const giveUp = (): void => {
      connection.abort();
      wake();
    };
    for (const place of places.values()) place.isSettled = false;
    const byLeader = new Map<number | null, number[]>();
    for (const [partition, place] of places) {
      const leader = client.leaders.get(partition) ?? null;
      if (!isDone(place)) byLeader.set(leader, [...(byLeader.get(leader) ?? []), partition]);
    }
    isLeaderless = byLeader.has(null);
    try {
      const following = [...byLeader].map(async ([leader, partitions]) => {
        try {
          await followLeader(client, leader, partitions, connection.signal);
        } finally {
          giveUp();
        }
      });
      // A record that is being taken must not be taken again: all must have ended.
      const failed = (await Promise.allSettled(following)).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    } finally {
      giveUp();
      void client.close();
    }
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !isOver(); failures += 1) {
      const startedAt = clock.monotonic();
      try {
        await connectOnce();
      } catch (error) {
        const isOutOfRange = protocolErrorOf(error) === "OFFSET_OUT_OF_RANGE";
        if (isOutOfRange) noteOutOfRange(error);
        if (isOver()) return;
        const reason = messageOf(error);
        // kafkajs does not say which partition failed. The reason names an offset, and these positions tell whose it
        // is.
        const at = Object.fromEntries([...places].map(([partition, { next }]) => [partition, next]));
        if (reasonLogged !== reason) log.warn({ topic, reason, at }, "kafka.reader.lost");
        reasonLogged = reason;
        fault = disconnected(error, fault, clock);
        if (clock.monotonic() - startedAt > RESET_BACKOFF_AFTER_MS) failures = 0;
        // Without a leader the connection has lasted a while: the other partitions go on at once.
        const otherMs = isLeaderless ? 0 : backoffMs(BACKOFF, failures, random());
        const ms = isOutOfRange ? LOOK_EVERY_MS : otherMs;
        await clock.sleep(ms, over.signal).catch(() => undefined);
      }
    }
  };

  endIfDone();
  void run();

  return {
    /** Resolves when all is read. Rejects with {@link PlaceLost}, an error of `take`, and when the signal aborts. */
    ended,
    health: (): Health => fault ?? { kind: "up" },
    /** Goes on at these offsets, and reads no other partitions. */
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
