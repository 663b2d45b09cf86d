import { DeadlineError } from "../../runtime/clock.ts";
import { Lane, type LaneOwner } from "./lane.ts";
import { newPartitioner } from "./partitioner.ts";
import type { PendingRecord } from "./backlog.ts";
import type { Troubles } from "./troubles.ts";

/** After this a broker names the partitions that keep a request of many waiting. */
const BROKER_TIMEOUT_MS = 2_000;
/** Few, because each has a connection of its own. */
const MAX_SEPARATE_LANES = 8;

/** A record waits in its leader's lane, in a separate one while its partition is in trouble, or in none at all. */
export const createLanes = (owner: LaneOwner, troubles: Troubles, sendTimeoutMs: number) => {
  const partitionOf = newPartitioner();
  /** Keyed by leader. Keys below zero are the separate lanes of partitions in trouble. */
  const lanes = new Map<number, Lane>();
  /** Records whose partition has no leader now, or is not chosen yet. */
  let withoutLeader: PendingRecord[] = [];
  let leaders: readonly (number | null)[] = [];

  const laneOf = (partition: number): Lane | null => {
    const leader = leaders[partition] ?? null;
    if (leader === null) return null;
    const isApart = troubles.isApart(partition);
    const key = isApart ? -1 - (partition % MAX_SEPARATE_LANES) : leader;
    const existing = lanes.get(key);
    if (existing) return existing;
    const lane = new Lane(owner, Math.min(sendTimeoutMs / 2, isApart ? Infinity : BROKER_TIMEOUT_MS));
    lanes.set(key, lane);
    return lane;
  };

  const choosePartition = (item: PendingRecord): void => {
    if (item.partition < 0 && leaders.length > 0)
      item.partition = partitionOf(item.record.key, leaders.length);
  };

  const redistribute = (items: readonly PendingRecord[]): void => {
    for (const [lane, laneItems] of Map.groupBy(items, ({ partition }) => laneOf(partition)))
      if (lane) lane.merge(laneItems);
      else withoutLeader.push(...laneItems);
  };

  return {
    leaders: () => leaders,
    choosePartition,
    enqueue: (item: PendingRecord): void => {
      const lane = laneOf(item.partition);
      if (lane) lane.push(item);
      else withoutLeader.push(item);
    },

    redistribute: (lane: Lane): void => redistribute(lane.takeAll()),

    /** Moves queued records to the lanes of the current leaders; gives up sends to former leaders. */
    follow: (current: readonly (number | null)[]): void => {
      const formerLeaders = leaders;
      leaders = current;
      const items = [...withoutLeader, ...[...lanes.values()].flatMap((lane) => lane.takeAll())];
      withoutLeader = [];
      items.forEach(choosePartition);
      redistribute(items);
      const isMoved = ({ partition }: PendingRecord) => formerLeaders[partition] !== leaders[partition];
      for (const [key, lane] of lanes) {
        lane.giveUp(new Error("the partition has another leader now"), isMoved);
        if (lane.isRunning || leaders.includes(key) || (key < 0 && troubles.size > 0)) continue;
        lanes.delete(key);
        void lane.close();
      }
    },

    /** All unsettled records, and some settled ones. */
    unsettled: () => [...withoutLeader, ...[...lanes.values()].flatMap((lane) => lane.items())],

    /** Drops settled records, lest they pile up. @returns ms of the slowest send; Infinity if a record has no leader */
    sweep: (): number => {
      const now = owner.clock.monotonic();
      withoutLeader = withoutLeader.filter((item) => !item.isSettled);
      let slowestMs = withoutLeader.length > 0 ? Infinity : 0;
      for (const lane of lanes.values()) {
        if (troubles.size > 0) lane.dropSettled();
        const ms = lane.sendingMs(now);
        if (ms > sendTimeoutMs) lane.giveUp(new DeadlineError(sendTimeoutMs));
        slowestMs = Math.max(slowestMs, ms);
      }
      return slowestMs;
    },

    close: async (): Promise<void> => {
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
};
