import { messageOf } from "../../runtime/errors.ts";
import type { Committed } from "../mark.ts";
import { joinGroup, type GroupDeps, type GroupOptions } from "./group.ts";

export type Leadership = {
  /** Aborts when another replica may be the leader, or the process stops; after a freeze, a moment late. */
  signal: AbortSignal;
  /** Also checks the age of the last heartbeat: to be called right before each effect. Once false, it stays false. */
  isHeld: () => boolean;
};

/** The replica that is assigned this partition is the leader. */
const PARTITION = 0;
const CHECK_EVERY_MS = 250;
const AGAIN_AFTER_MS = 10_000;

/**
 * Runs `work` on the leader only, again after it ends or throws. A dead leader is replaced when its session times out.
 * During a rebalance, or after a freeze between `isHeld` and its effect, there may be two leaders for a moment.
 * @param work obeys the signal: until it has ended, this replica does not lead again
 */
export const elected = (
  options: GroupOptions,
  work: (leadership: Leadership) => Promise<void>,
  deps: GroupDeps,
) => {
  const { clock, log } = deps;
  const { groupId, sessionTimeoutMs } = options;
  const stopped = new AbortController();
  let isAssigned = false;
  let term = new AbortController();

  const isLeader = (): boolean =>
    isAssigned && !stopped.signal.aborted && clock.monotonic() - group.lastHeartbeat() < sessionTimeoutMs;
  const check = (): void => {
    if (!isLeader()) term.abort(new Error("another replica may be the leader"));
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

  const lead = async (signal: AbortSignal): Promise<void> => {
    const isHeld = (): boolean => {
      check();
      return !signal.aborted;
    };
    log.info({ groupId }, "election.won");
    while (isHeld()) {
      try {
        await work({ signal, isHeld });
      } catch (error) {
        const reason = messageOf(error);
        if (isHeld()) log.warn({ groupId, reason, againInMs: AGAIN_AFTER_MS }, "election.work.ended");
      }
      await clock.sleep(AGAIN_AFTER_MS, signal).catch(() => undefined);
    }
    log.info({ groupId }, "election.lost");
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      if (isLeader()) await lead((term = new AbortController()).signal);
      else await clock.sleep(CHECK_EVERY_MS, stopped.signal).catch(() => undefined);
    }
  };
  const running = run();

  return {
    isLeader,
    /** Saves a note as metadata of the group's commit. Rejects if this replica does not lead, or the commit fails. */
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
