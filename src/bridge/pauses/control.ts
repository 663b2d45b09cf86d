import { isDeepStrictEqual } from "node:util";
import { startTail } from "../../kafka/consume/tail.ts";
import type { Ranges } from "../../kafka/ranges.ts";
import type { Health } from "../../runtime/health.ts";
import { iso, isoOrNull } from "../../runtime/instant.ts";
import type { Services } from "../../kafka/wire/services.ts";
import type { Subsystem } from "../../runtime/subsystem.ts";
import {
  applyControlRecord,
  isPause,
  type ControlEntries,
  type ControlEntry,
  type ControlRecord,
  type Pausable,
} from "./pause-entry.ts";

/**
 * Folds the control topic into the last entry of each flow. When a partition is read anew, its entries take effect
 * only once it is read to its end: a pause must not end while older entries are read again, nor because the topic was
 * emptied. All entries of a flow are in one partition.
 */
export const createControlFold = () => {
  const entries = new Map<Pausable, ControlEntry>();
  /** The partitions that are being read from their start: the entries so far, and where they take effect. */
  const loading = new Map<number, { entries: Map<Pausable, ControlEntry>; end: number }>();
  let unread: Set<number> | null = null;

  /** Everything before this offset was read, gaps of compaction and transaction markers included. */
  const reached = (partition: number, next: number): void => {
    const load = loading.get(partition);
    if (load === undefined || next < load.end) return;
    for (const [flow, entry] of load.entries) entries.set(flow, entry);
    loading.delete(partition);
    unread?.delete(partition);
  };

  return {
    begin: (ranges: Ranges, partitions: number): void => {
      unread ??= new Set(Array(partitions).keys());
      for (const [partition, { startOffset, endOffset }] of ranges) {
        loading.set(partition, { entries: new Map(), end: endOffset });
        reached(partition, startOffset);
      }
    },
    /** Returns false for a record that cannot be read: the entry before it stays in force. */
    take: (record: ControlRecord & { partition: number }): boolean =>
      applyControlRecord(loading.get(record.partition)?.entries ?? entries, record),
    reached,
    isRead: (): boolean => unread?.size === 0,
    unread: (): number[] => [...(unread ?? [])],
    entries: (): ControlEntries => entries,
  };
};

export type Control = Subsystem & {
  /** Calls `hold` at once and at each change: true while the flow is held. */
  follow: (flow: Pausable, hold: (isHeld: boolean) => void) => void;
  isRead: () => boolean;
  health: () => Health;
  /** Whether the flow is paused, or the topic has not been read yet. */
  isHeld: (flow: Pausable) => boolean;
  untilOpen: (flow: Pausable, signal: AbortSignal) => Promise<void>;
  paused: () => Record<string, boolean>;
};

const CHECK_EVERY_MS = 250;

const describePause = ({ flow, by, atMs, untilMs }: ControlEntry): string =>
  `${flow} paused by ${by} since ${iso(atMs)}${untilMs === null ? "" : ` until ${iso(untilMs)}`}`;

/**
 * Follows the control topic. Rejects if Kafka does not answer. A pause ends by Kafka's clock: an entry that comes
 * while the topic is followed was written then, by its own time, and from there on time is only counted. One that is
 * found at the start ends by this machine's clock. Without Kafka the last entries that were read stay in force.
 * @param flows the pausable flows of this process
 */
export const openControl = async (services: Services, flows: readonly Pausable[]): Promise<Control> => {
  const { config, clock, log } = services;
  const topic = config.topics.control;
  const cluster = await services.connectCluster();
  const { entries, isRead, unread, begin, take, reached } = createControlFold();
  const pausesInForce = new Map<Pausable, ControlEntry>();
  /** Entries that came while the topic was followed, by flow: their action, and when that was. */
  const sightings = new Map<Pausable, { actionId: string; atMonotonicMs: number | null }>();
  let hasLoaded = false;
  const followers: { flow: Pausable; isHeld: boolean; hold: (isHeld: boolean) => void }[] = [];

  const isHeld = (flow: Pausable): boolean => !isRead() || pausesInForce.has(flow);

  const logChange = (
    flow: Pausable,
    oldPause: ControlEntry | undefined,
    pause: ControlEntry | null,
  ): void => {
    if (pause) {
      const { by, atMs, untilMs, actionId } = pause;
      log.warn({ flow, by, since: iso(atMs), until: isoOrNull(untilMs), actionId }, "flow.paused");
    } else if (oldPause) {
      const entry = entries().get(flow);
      const by = entry?.says === "resume" ? entry.by : null;
      log.info({ flow, by, pausedBy: oldPause.by }, "flow.resumed");
    }
  };

  const kafkaNow = ({ flow, actionId, atMs }: ControlEntry): number => {
    if (sightings.get(flow)?.actionId !== actionId)
      sightings.set(flow, { actionId, atMonotonicMs: hasLoaded ? clock.monotonic() : null });
    const atMonotonicMs = sightings.get(flow)?.atMonotonicMs ?? null;
    return atMonotonicMs === null ? clock.now() : atMs + clock.monotonic() - atMonotonicMs;
  };

  const update = (): void => {
    for (const flow of flows) {
      const oldPause = pausesInForce.get(flow);
      const entry = entries().get(flow);
      const pause = entry && isPause(entry, kafkaNow(entry)) ? entry : null;
      if (pause) pausesInForce.set(flow, pause);
      else pausesInForce.delete(flow);
      if (!isDeepStrictEqual(oldPause, pause ?? undefined)) logChange(flow, oldPause, pause);
    }
    hasLoaded = isRead();
    for (const follower of followers) {
      if (follower.isHeld === isHeld(follower.flow)) continue;
      follower.isHeld = !follower.isHeld;
      follower.hold(follower.isHeld);
    }
  };

  const tail = startTail(
    { topic },
    {
      begin: (ranges, partitions) => {
        begin(ranges, partitions);
        update();
        return ranges;
      },
      take: (record) => {
        const { partition, offset } = record;
        if (!take(record)) log.error({ topic, partition, offset }, "control.unreadable");
        update();
        return true;
      },
      reached: (partition, next) => {
        reached(partition, next);
        update();
      },
    },
    { ...services, ranges: () => cluster.ranges(topic) },
  );
  // Polled: clocks may jump, and timers are limited to 24 days.
  const updates = setInterval(update, CHECK_EVERY_MS);

  const health = (): Health => {
    const tailHealth = tail.health();
    if (isRead()) return tailHealth;
    const unreadHealth = tail.unreadHealth(unread());
    if (unreadHealth !== null) return unreadHealth;
    return tailHealth.kind === "up" ? { kind: "reading", left: null } : tailHealth;
  };

  return {
    follow: (flow, hold) => {
      const isHeldNow = isHeld(flow);
      followers.push({ flow, isHeld: isHeldNow, hold });
      hold(isHeldNow);
    },
    isRead,
    isHeld,
    untilOpen: async (flow, signal) => {
      while (isHeld(flow)) await clock.sleep(CHECK_EVERY_MS, signal);
    },
    paused: () => Object.fromEntries(flows.map((flow) => [flow, pausesInForce.has(flow)])),
    health,
    components: () => ({
      control: {
        health: health(),
        // Once read, the last entries stay in force, and no restart would help.
        serves: isRead() ? null : "pauses",
        ...(isRead() && {
          note: [...pausesInForce.values()].map(describePause).join(", ") || "nothing is paused",
        }),
      },
    }),
    waiting: () => ({}),
    close: async () => {
      clearInterval(updates);
      await Promise.all([tail.stop(), cluster.close()]);
    },
  };
};
