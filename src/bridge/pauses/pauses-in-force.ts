import { iso, isoOrNull } from "../../runtime/instant.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { ControlFold } from "./control-fold.ts";
import { isPause, type ControlEntry, type Pausable } from "./pause-entry.ts";

type Deps = { clock: Pick<Clock, "now" | "monotonic">; log: Pick<Log, "info" | "warn"> };

const describePause = ({ flow, by, atMs, untilMs }: ControlEntry): string =>
  `${flow} paused by ${by} since ${iso(atMs)}${untilMs === null ? "" : ` until ${iso(untilMs)}`}`;

/**
 * The pauses that hold now, by the last entries of the control topic. A pause ends by Kafka's clock: an entry that comes
 * while the topic is followed was written then, by its own time, and from there on time is only counted. One that is
 * found at the start ends by this machine's clock.
 */
export const createPausesInForce = (
  flows: readonly Pausable[],
  { entries, isRead }: ControlFold,
  { clock, log }: Deps,
) => {
  const pauses = new Map<Pausable, ControlEntry>();
  /** By flow, the action of its last entry, and when that came; null if it was there at the start. */
  const sightings = new Map<Pausable, { actionId: string; atMonotonicMs: number | null }>();
  let hasLoaded = false;

  const kafkaNow = ({ flow, actionId, atMs }: ControlEntry): number => {
    if (sightings.get(flow)?.actionId !== actionId)
      sightings.set(flow, { actionId, atMonotonicMs: hasLoaded ? clock.monotonic() : null });
    const atMonotonicMs = sightings.get(flow)?.atMonotonicMs ?? null;
    return atMonotonicMs === null ? clock.now() : atMs + clock.monotonic() - atMonotonicMs;
  };

  const begin = (pause: ControlEntry): void => {
    const { flow, by, atMs, untilMs, actionId } = pause;
    if (pauses.get(flow)?.actionId !== actionId)
      log.warn({ flow, by, since: iso(atMs), until: isoOrNull(untilMs), actionId }, "flow.paused");
    pauses.set(flow, pause);
  };
  const end = (flow: Pausable, entry: ControlEntry | undefined): void => {
    const pause = pauses.get(flow);
    if (!pauses.delete(flow)) return;
    const by = entry?.says === "resume" ? entry.by : null;
    log.info({ flow, by, pausedBy: pause?.by }, "flow.resumed");
  };

  return {
    update: (): void => {
      for (const flow of flows) {
        const entry = entries().get(flow);
        if (entry && isPause(entry, kafkaNow(entry))) begin(entry);
        else end(flow, entry);
      }
      hasLoaded = isRead();
    },
    has: (flow: Pausable): boolean => pauses.has(flow),
    describe: (): string => [...pauses.values()].map(describePause).join(", ") || "nothing is paused",
  };
};
