import { backoffMs } from "../../runtime/backoff.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Committed } from "../mark.ts";
import { startReader, type Reader, type ReaderDeps } from "./reader.ts";

/** `topic` decides nothing but that there is one to be a member for; nothing of it is read. */
export type ElectedOptions = { topic: string; groupId: string; sessionTimeoutMs: number };

export type Leadership = {
  /** Aborts when another replica may be chosen, or the process stops. A frozen process that wakes finds this out a moment later. */
  signal: AbortSignal;
  /** Asks the clock as well: to be asked right before each effect. Once false, false for good. */
  isHeld: () => boolean;
};

export type Elected = Pick<Reader, "state"> & {
  isLeader: () => boolean;
  /** Keeps a text in the group, beside an offset that nobody reads from. Rejects where this one is not chosen, or Kafka does not take it. */
  saveNote: (committed: Committed) => Promise<void>;
  /** Ends the work and leaves the group, bounded in time. */
  stop: () => Promise<void>;
};

/** Who is assigned this partition is chosen. */
const PARTITION = 0;
const CHECK_EVERY_MS = 250;
const BACKOFF = { baseMs: 1_000, maxMs: 60_000 };
/** Work that went on for so long was well: its end is counted as the first one. */
const RESET_BACKOFF_AFTER_MS = 300_000;
/** Work that does not end for so long after it was told to is left to itself. */
const STOP_WORK_TIMEOUT_MS = 10_000;

/**
 * Lets one replica at a time do some work: the one that the group assigns the first partition to. Work that ends or throws is begun again, after
 * a pause, for as long as this one is chosen. A replica that is dead or frozen is replaced when its session times out. For a moment two may
 * believe that they are chosen: while a rebalance is told of, or where one was frozen between asking the clock and what it did then.
 */
export const elected = (
  options: ElectedOptions,
  work: (held: Leadership) => Promise<void>,
  deps: ReaderDeps,
): Elected => {
  const { clock, log, random } = deps;
  const { topic, groupId, sessionTimeoutMs } = options;
  const stopped = new AbortController();
  let isChosen = false;
  let current: AbortController | null = null;

  const isLeader = (): boolean =>
    isChosen && !stopped.signal.aborted && clock.monotonic() - reader.lastHeartbeat() < sessionTimeoutMs;
  const check = (): void => {
    if (current && !isLeader()) current.abort(new Error("another replica may have been chosen"));
  };

  const reader = startReader(
    { ...options, maxBytesPerPartition: 1 },
    {
      assigned: (partitions) => {
        for (const partition of partitions) reader.pause(partition);
        isChosen = partitions.includes(PARTITION);
        check();
        return new Map();
      },
      read: () => undefined,
    },
    deps,
  );
  const checks = setInterval(check, CHECK_EVERY_MS);

  /** Gives what went wrong; null when the work was told to end. */
  const workOnce = async (): Promise<string | null> => {
    const ending = (current = new AbortController());
    const { signal } = ending;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const isHeld = (): boolean => {
      check();
      return !signal.aborted;
    };
    const working = Promise.resolve()
      .then(() => work({ signal, isHeld }))
      .then(() => "it ended by itself", messageOf);
    await Promise.race([working, aborted]);
    try {
      const outcome = await clock.within(STOP_WORK_TIMEOUT_MS, undefined, working);
      return signal.aborted ? null : outcome;
    } catch {
      log.error({ groupId, afterMs: STOP_WORK_TIMEOUT_MS }, "election.work.hangs");
      return null;
    } finally {
      current = null;
      ending.abort(new Error("the work has ended"));
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    let wasLeader = false;
    const logChange = (): void => {
      if (wasLeader === isLeader()) return;
      wasLeader = !wasLeader;
      if (wasLeader) log.info({ groupId }, "election.won");
      else log.info({ groupId }, "election.lost");
    };
    while (!stopped.signal.aborted) {
      logChange();
      if (!isLeader()) {
        await clock.sleep(CHECK_EVERY_MS, stopped.signal).catch(() => undefined);
        continue;
      }
      const startedAt = clock.monotonic();
      const reason = await workOnce();
      if (reason === null) {
        failures = 0;
        continue;
      }
      if (clock.monotonic() - startedAt > RESET_BACKOFF_AFTER_MS) failures = 0;
      const againInMs = Math.round(backoffMs(BACKOFF, failures, random()));
      log.warn({ groupId, reason, againInMs }, "election.work.ended");
      failures += 1;
      await clock.sleep(againInMs, stopped.signal).catch(() => undefined);
    }
  };
  const running = run();

  return {
    isLeader,
    saveNote: async (committed) => {
      if (!isLeader()) throw new Error("another replica may have been chosen");
      await reader.commit(new Map([[PARTITION, committed]]));
    },
    state: () => {
      const { up, detail } = reader.state();
      if (!up) return { up, detail: `${topic}: ${detail}` };
      return { up, detail: isLeader() ? "chosen" : "another replica is chosen" };
    },
    stop: async () => {
      stopped.abort();
      check();
      await running;
      clearInterval(checks);
      await reader.stop();
    },
  };
};
