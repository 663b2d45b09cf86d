import type { Range } from "../../kafka/ranges.ts";
import type { Clock } from "../../runtime/clock.ts";
import { iso, isoOrNull } from "../../runtime/instant.ts";
import type { Log } from "../../runtime/log.ts";
import { applyControlRecord, isPause, type ControlEntries, type ControlEntry } from "./pause-entry.ts";
import type { ControlRecord, Pausable } from "./pause-entry.ts";

type Hold = (isHeld: boolean) => void;

const describePause = ({ flow, by, atMs, untilMs }: ControlEntry): string =>
  `${flow} paused by ${by} since ${iso(atMs)}${untilMs === null ? "" : ` until ${iso(untilMs)}`}`;

/**
 * Folds the control topic, which has one partition, into the last entry of each flow, and says which flows are held.
 * When it is read anew, its entries take effect only once it is read to its end: a pause must not end while older
 * entries are read again, nor because the topic was emptied. A pause ends by Kafka's clock: an entry that comes while
 * the topic is followed was written then, by its own time, and from there on time is only counted. One that is found at
 * the start ends by this machine's clock.
 */
export const createPauses = (flows: readonly Pausable[], { clock, log }: { clock: Clock; log: Log }) => {
  const entries = new Map<Pausable, ControlEntry>();
  /** While the topic is read from its start: the entries so far, and where they take effect. */
  let loading: { entries: Map<Pausable, ControlEntry>; end: number } | null = null;
  let isRead = false;
  const pauses = new Map<Pausable, ControlEntry>();
  /** By flow, the action of its last entry, and when that came; null if it was there at the start. */
  const sightings = new Map<Pausable, { actionId: string; atMonotonicMs: number | null }>();
  const followers: { flow: Pausable; wasHeld: boolean | null; hold: Hold }[] = [];

  const isHeld = (flow: Pausable): boolean => !isRead || pauses.has(flow);

  const kafkaNow = ({ flow, actionId, atMs }: ControlEntry): number => {
    if (sightings.get(flow)?.actionId !== actionId)
      sightings.set(flow, { actionId, atMonotonicMs: isRead ? clock.monotonic() : null });
    const atMonotonicMs = sightings.get(flow)?.atMonotonicMs ?? null;
    return atMonotonicMs === null ? clock.now() : atMs + clock.monotonic() - atMonotonicMs;
  };

  const beginPause = (pause: ControlEntry): void => {
    const { flow, by, atMs, untilMs, actionId } = pause;
    if (pauses.get(flow)?.actionId !== actionId)
      log.warn({ flow, by, since: iso(atMs), until: isoOrNull(untilMs), actionId }, "flow.paused");
    pauses.set(flow, pause);
  };
  const endPause = (flow: Pausable, entry: ControlEntry | undefined): void => {
    const pause = pauses.get(flow);
    if (!pauses.delete(flow)) return;
    const by = entry?.says === "resume" ? entry.by : null;
    log.info({ flow, by, pausedBy: pause?.by }, "flow.resumed");
  };

  const judge = (): void => {
    for (const flow of flows) {
      const entry = entries.get(flow);
      if (entry && isPause(entry, kafkaNow(entry))) beginPause(entry);
      else endPause(flow, entry);
    }
  };
  const tellFollowers = (): void => {
    for (const follower of followers) {
      const isHeldNow = isHeld(follower.flow);
      if (follower.wasHeld === isHeldNow) continue;
      follower.wasHeld = isHeldNow;
      follower.hold(isHeldNow);
    }
  };
  /** Must be called often, because pauses end by themselves. */
  const update = (): void => {
    judge();
    tellFollowers();
  };

  /** Everything before this offset was read, gaps of compaction and transaction markers included. */
  const reached = (next: number): void => {
    if (loading === null || next < loading.end) return;
    for (const [flow, entry] of loading.entries) entries.set(flow, entry);
    loading = null;
    judge();
    isRead = true;
    tellFollowers();
  };

  return {
    begin: ({ startOffset, endOffset }: Range): void => {
      loading = { entries: new Map(), end: endOffset };
      reached(startOffset);
    },
    /** Returns false for a record that cannot be read: the entry before it stays in force. */
    take: (record: ControlRecord): boolean => {
      const isReadable = applyControlRecord(loading?.entries ?? entries, record);
      update();
      return isReadable;
    },
    reached,
    update,
    /** Calls `hold` at once and at each change: true while the flow is held. */
    follow: (flow: Pausable, hold: Hold): void => {
      followers.push({ flow, wasHeld: null, hold });
      tellFollowers();
    },
    isRead: (): boolean => isRead,
    /** Whether the flow is paused, or the topic has not been read yet. */
    isHeld,
    isPaused: (flow: Pausable): boolean => pauses.has(flow),
    entries: (): ControlEntries => entries,
    describe: (): string => [...pauses.values()].map(describePause).join(", ") || "nothing is paused",
  };
};
