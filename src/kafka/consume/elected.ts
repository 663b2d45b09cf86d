import { backoffMs } from "../../runtime/backoff.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Committed } from "../mark.ts";
import { joinGroup, type GroupDeps, type GroupOptions } from "./group.ts";

export type Leadership = {
  /** Aborts when another replica may be the leader, or the process stops; after a freeze, a moment late. */
  signal: AbortSignal;
  /** Also checks the age of the last heartbeat: to be called right before each effect. Once false, it stays false. */
  isHeld: () => boolean;
};

export type Elected = ReturnType<typeof elected>;

/** The replica that is assigned this partition is the leader. */
const PARTITION = 0;
const CHECK_EVERY_MS = 250;
const BACKOFF = { baseMs: 1_000, maxMs: 60_000 };
/** After work has run for so long, its end counts as the first failure. */
const RESET_BACKOFF_AFTER_MS = 300_000;
/** Work that has not ended so long after its signal aborted is abandoned. */
const STOP_WORK_TIMEOUT_MS = 10_000;

/**
 * Runs work on one replica at a time, the leader: the one that the group assigns the first partition to. Work that ends
 * or throws is started again, after a backoff, while this replica leads. A dead or frozen leader is replaced when its
 * session times out. For a moment there may be two leaders: during a rebalance, or after a freeze between a call of
 * `isHeld` and the effect that follows it.
 * @param options the group needs a topic to assign partitions of; no record of it is read
 */
export const elected = (
  options: GroupOptions,
  work: (leadership: Leadership) => Promise<void>,
  deps: GroupDeps,
) => {
  const { clock, log, random } = deps;
  const { groupId, sessionTimeoutMs } = options;
  const stopped = new AbortController();
  let isAssigned = false;
  let current: AbortController | null = null;

  const isLeader = (): boolean =>
    isAssigned && !stopped.signal.aborted && clock.monotonic() - group.lastHeartbeat() < sessionTimeoutMs;
  const check = (): void => {
    if (current && !isLeader()) current.abort(new Error("another replica may be the leader"));
  };

  const group = joinGroup(
    options,
    (partitions) => {
      isAssigned = partitions.includes(PARTITION);
      check();
    },
    deps,
  );
  const checks = setInterval(check, CHECK_EVERY_MS);

  /** Gives why the work ended; null when its signal was aborted. */
  const workOnce = async (): Promise<string | null> => {
    const ending = (current = new AbortController());
    const { signal } = ending;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    const isHeld = (): boolean => {
      check();
      return !signal.aborted;
    };
    const working = Promise.resolve()
      .then(() => work({ signal, isHeld }))
      .then(() => "it ended by itself", messageOf);
    await Promise.race([working, aborted]);
    const outcome = await clock.within(STOP_WORK_TIMEOUT_MS, undefined, working).catch(() => {
      log.error({ groupId, afterMs: STOP_WORK_TIMEOUT_MS }, "election.work.hangs");
      return null;
    });
    const wasAborted = signal.aborted;
    current = null;
    ending.abort(new Error("the work has ended"));
    return wasAborted ? null : outcome;
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    let wasLeader = false;
    while (!stopped.signal.aborted) {
      const isNow = isLeader();
      if (isNow && !wasLeader) log.info({ groupId }, "election.won");
      if (!isNow && wasLeader) log.info({ groupId }, "election.lost");
      wasLeader = isNow;
      if (!wasLeader) {
        await clock.sleep(CHECK_EVERY_MS, stopped.signal).catch(() => undefined);
        continue;
      }
      const startedAt = clock.monotonic();
      const reason = await workOnce();
      if (reason === null || clock.monotonic() - startedAt > RESET_BACKOFF_AFTER_MS) failures = 0;
      if (reason === null) continue;
      const againInMs = Math.round(backoffMs(BACKOFF, failures++, random()));
      log.warn({ groupId, reason, againInMs }, "election.work.ended");
      await clock.sleep(againInMs, stopped.signal).catch(() => undefined);
    }
  };
  const running = run();

  return {
    isLeader,
    /**
     * Saves a note as the metadata of the group's commit; nobody reads from its offset. Rejects when this replica is
     * not the leader, or the commit fails.
     */
    saveNote: async (committed: Committed): Promise<void> => {
      if (!isLeader()) throw new Error("another replica may be the leader");
      await group.commit(new Map([[PARTITION, committed]]));
    },
    health: group.health,
    stop: async (): Promise<void> => {
      stopped.abort();
      check();
      await running;
      clearInterval(checks);
      await group.stop();
    },
  };
};
