import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/config.ts";
import { currentPause } from "../../operator/pause.ts";
import type { Pausable, ControlEntry } from "../../operator/control-entry.ts";
import type { Kit } from "../kit.ts";
import type { Part } from "../part.ts";
import { followControl } from "./follow-control.ts";

/** What holds the flows of this replica: what people said in the control topic. */
export type Control = Part & {
  /** Tells at once, and at each change, whether the flow may begin nothing: it is paused, or it was not read yet whether it is. */
  follow: (flow: Pausable, hold: (isHeld: boolean) => void) => void;
  /** Resolves when the flow may begin something. */
  untilOpen: (flow: Pausable, signal: AbortSignal) => Promise<void>;
  paused: () => Record<string, boolean>;
};

const LOOK_EVERY_MS = 250;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const described = ({ flow, by, atMs, untilMs }: ControlEntry): string =>
  `${flow} paused by ${by} since ${iso(atMs)}${untilMs === null ? "" : ` until ${iso(untilMs)}`}`;

/**
 * Follows the control topic. Rejects when the cluster cannot be asked. Pauses end by this machine's clock; without Kafka the last entries hold.
 * @param flows those of this process
 */
export const openControl = async (config: Config, kit: Kit, flows: readonly Pausable[]): Promise<Control> => {
  const { clock, log } = kit;
  const topic = config.topics.control;
  const cluster = await kit.connectCluster();
  const known = new Map<Pausable, ControlEntry>();
  const heard: { flow: Pausable; isHeld: boolean; hold: (isHeld: boolean) => void }[] = [];

  const isHeld = (flow: Pausable): boolean => !isRead() || known.has(flow);

  const tell = (flow: Pausable, before: ControlEntry | undefined, pause: ControlEntry | null): void => {
    if (pause) {
      const { by, atMs, untilMs, actionId } = pause;
      log.warn({ flow, by, since: iso(atMs), until: iso(untilMs), actionId }, "flow.paused");
    } else if (before) {
      const last = entries().get(flow);
      const by = last?.says === "resume" ? last.by : null;
      log.info({ flow, by, pausedBy: before.by }, "flow.resumed");
    }
  };

  const look = (): void => {
    for (const flow of flows) {
      const before = known.get(flow);
      const pause = currentPause(entries(), flow, clock.now());
      if (pause) known.set(flow, pause);
      else known.delete(flow);
      if (!isDeepStrictEqual(before, pause ?? undefined)) tell(flow, before, pause);
    }
    for (const each of heard) {
      if (each.isHeld === isHeld(each.flow)) continue;
      each.isHeld = !each.isHeld;
      each.hold(each.isHeld);
    }
  };

  const { entries, isRead, ...tail } = followControl(config, kit, {
    ranges: () => cluster.ranges(topic),
    changed: () => look(),
  });
  // Clocks may jump, and no timer holds for years.
  const looks = setInterval(look, LOOK_EVERY_MS);

  return {
    follow: (flow, hold) => {
      const now = isHeld(flow);
      heard.push({ flow, isHeld: now, hold });
      hold(now);
    },
    untilOpen: async (flow, signal) => {
      while (isHeld(flow)) await clock.sleep(LOOK_EVERY_MS, signal);
    },
    paused: () => Object.fromEntries(flows.map((flow) => [flow, known.has(flow)])),
    components: () => {
      const { up, detail } = tail.state();
      const paused = [...known.values()].map(described).join(", ") || "nothing is paused";
      return {
        control: {
          up: up && isRead(),
          detail: !isRead() ? (up ? "still reading" : detail) : up ? paused : `${detail}; ${paused}`,
          // Once read, what was said last holds, and no restart would read more.
          required: !isRead(),
        },
      };
    },
    waiting: () => ({}),
    close: async () => {
      clearInterval(looks);
      await Promise.all([tail.stop(), cluster.close()]);
    },
  };
};
