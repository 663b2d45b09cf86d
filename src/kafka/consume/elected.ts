import { onAbort } from "../../runtime/abort.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Committed } from "../mark.ts";
import { joinGroup, type GroupDeps, type GroupOptions } from "./group.ts";

/** The time in which this replica leads. */
export type Term = {
  /** Aborts when another replica may be the leader, or the process stops; after a freeze, a moment late. */
  signal: AbortSignal;
  /** Also checks the age of the last heartbeat: to be called right before each effect. Once false, it stays false. */
  isHeld: () => boolean;
};

/** The replica that is assigned this partition is the leader. */
const PARTITION = 0;
const CHECK_EVERY_MS = 250;
const AGAIN_AFTER_MS = 10_000;
/** Work that has not ended so long after its term hangs. */
const END_WORK_MS = 10_000;

/**
 * Runs `work` on the leader only, again after it ends or throws. A dead leader is replaced when its session times out.
 * During a rebalance, or after a freeze between `isHeld` and its effect, there may be two leaders for a moment.
 * @param work obeys the signal. While it hangs, this replica is no member of the group, so that another one leads
 */
export const elected = (options: GroupOptions, work: (term: Term) => Promise<void>, deps: GroupDeps) => {
  const { clock, log } = deps;
  const { groupId, sessionTimeoutMs } = options;
  const stopped = new AbortController();
  let isAssigned = false;
  let isHanging = false;
  let ending = new AbortController();

  const isLeader = (): boolean =>
    isAssigned && !stopped.signal.aborted && clock.monotonic() - group.lastHeartbeat() < sessionTimeoutMs;
  const check = (): void => {
    if (!isLeader()) ending.abort(new Error("another replica may be the leader"));
  };
  const group = joinGroup(
    { ...options, mayJoin: () => !isHanging },
    (partitions) => {
      isAssigned = partitions.includes(PARTITION);
      check();
    },
    deps,
  );
  const checks = setInterval(check, CHECK_EVERY_MS);

  const leaveUnlessEnded = async (ended: AbortSignal): Promise<void> => {
    await clock.sleep(END_WORK_MS, ended).catch(() => undefined);
    if (ended.aborted) return;
    isHanging = true;
    log.error({ groupId, afterMs: END_WORK_MS }, "election.work.hangs");
  };
  const workUntilItEnds = async (term: Term): Promise<void> => {
    const ended = new AbortController();
    const forget = onAbort(term.signal, () => void leaveUnlessEnded(ended.signal));
    try {
      await work(term);
    } finally {
      forget();
      ended.abort();
      isHanging = false;
    }
  };
  const lead = async (signal: AbortSignal): Promise<void> => {
    const isHeld = (): boolean => {
      check();
      return !signal.aborted;
    };
    log.info({ groupId }, "election.won");
    while (isHeld()) {
      try {
        await workUntilItEnds({ signal, isHeld });
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
      if (isLeader()) await lead((ending = new AbortController()).signal);
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
