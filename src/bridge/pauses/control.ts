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
 * Folds the control topic into the last entry of each flow. When the topic is read anew, the new entries take
 * effect only once it is read to its end: a pause must not end while older entries are read again, nor because
 * the topic was emptied.
 */
export const createControlFold = () => {
  let entries = new Map<Pausable, ControlEntry>();
  /** Entries of a topic that is being read from its beginning; null once it is read to its end. */
  let loading: Map<Pausable, ControlEntry> | null = null;
  let isRead = false;
  /** By partition: the offset before which is something to read yet; Infinity while that is not pausesInForce. */
  const ends = new Map<number, number>();
  const begun = new Set<number>();

  const finishLoading = (): void => {
    if (loading === null || ends.size > 0) return;
    entries = new Map([...entries, ...loading]);
    loading = null;
    isRead = true;
  };

  return {
    /** Called before partitions are read from the start of these ranges, again or for the first time. */
    begin: (ranges: Ranges, partitions: number): void => {
      if (loading === null || [...ranges.keys()].some((partition) => begun.has(partition))) {
        loading = new Map();
        begun.clear();
        ends.clear();
        for (let partition = 0; partition < partitions; partition += 1) ends.set(partition, Infinity);
      }
      for (const [partition, { startOffset, endOffset }] of ranges) {
        begun.add(partition);
        if (startOffset < endOffset) ends.set(partition, endOffset);
        else ends.delete(partition);
      }
      finishLoading();
    },
    /** False: it cannot be read, and the entry before it stays in force. */
    take: (record: ControlRecord): boolean => applyControlRecord(loading ?? entries, record),
    /** Everything before this offset was read, gaps of compaction and transaction markers included. */
    reached: (partition: number, next: number): void => {
      if (next >= (ends.get(partition) ?? 0)) ends.delete(partition);
      finishLoading();
    },
    /** Whether the topic has been read to its end at least once. */
    isRead: (): boolean => isRead,
    /** The partitions in which something is to be read yet. */
    unread: (): number[] => [...ends.keys()],
    entries: (): ControlEntries => entries,
  };
};

/** The pauses of this replica's flows, as the control topic says. */
export type Control = Subsystem & {
  /**
   * Calls `hold` at once and at each change: true while the flow is paused, or the topic has not been read
   * yet.
   */
  follow: (flow: Pausable, hold: (isHeld: boolean) => void) => void;
  isRead: () => boolean;
  health: () => Health;
  /** Whether the flow is paused, or the topic has not been read yet. */
  isHeld: (flow: Pausable) => boolean;
  /** Resolves when the flow is not held. */
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
 * @param flows those of this process
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

  const logChange = (flow: Pausable, before: ControlEntry | undefined, pause: ControlEntry | null): void => {
    if (pause) {
      const { by, atMs, untilMs, actionId } = pause;
      log.warn({ flow, by, since: iso(atMs), until: isoOrNull(untilMs), actionId }, "flow.paused");
    } else if (before) {
      const last = entries().get(flow);
      const by = last?.says === "resume" ? last.by : null;
      log.info({ flow, by, pausedBy: before.by }, "flow.resumed");
    }
  };

  /** The time by Kafka's clock, as far as it is known from this entry. */
  const kafkaNow = ({ flow, actionId, atMs }: ControlEntry): number => {
    if (sightings.get(flow)?.actionId !== actionId)
      sightings.set(flow, { actionId, atMonotonicMs: hasLoaded ? clock.monotonic() : null });
    const atMonotonicMs = sightings.get(flow)?.atMonotonicMs ?? null;
    return atMonotonicMs === null ? clock.now() : atMs + clock.monotonic() - atMonotonicMs;
  };

  const update = (): void => {
    for (const flow of flows) {
      const before = pausesInForce.get(flow);
      const entry = entries().get(flow);
      const pause = entry && isPause(entry, kafkaNow(entry)) ? entry : null;
      if (pause) pausesInForce.set(flow, pause);
      else pausesInForce.delete(flow);
      if (!isDeepStrictEqual(before, pause ?? undefined)) logChange(flow, before, pause);
    }
    hasLoaded = isRead();
    for (const each of followers) {
      if (each.isHeld === isHeld(each.flow)) continue;
      each.isHeld = !each.isHeld;
      each.hold(each.isHeld);
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
    const followed = tail.health();
    if (isRead()) return followed;
    const lacking = tail.unreadHealth(unread());
    if (lacking !== null) return lacking;
    return followed.kind === "up" ? { kind: "reading", left: null } : followed;
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
