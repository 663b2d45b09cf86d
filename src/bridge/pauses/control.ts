import { startTail } from "../../kafka/consume/tail.ts";
import type { Ranges } from "../../kafka/ranges.ts";
import type { Services } from "../../kafka/wire/services.ts";
import type { Health } from "../../runtime/health.ts";
import type { Subsystem } from "../../runtime/subsystem.ts";
import { createControlFold } from "./control-fold.ts";
import type { Pausable } from "./pause-entry.ts";
import { createPausesInForce } from "./pauses-in-force.ts";

export type Control = Awaited<ReturnType<typeof openControl>>;

/** The topic's only partition: `serve` refuses a control topic with more. */
const PARTITION = 0;
const CHECK_EVERY_MS = 250;

/** Follows the control topic. Rejects if Kafka does not answer; later, without Kafka, the last entries stay in force. */
export const openControl = async (services: Services, flows: readonly Pausable[]) => {
  const { clock, log } = services;
  const topic = services.config.topics.control;
  const cluster = await services.connectCluster();
  const fold = createControlFold();
  const pauses = createPausesInForce(flows, fold, services);
  const followers: { flow: Pausable; wasHeld: boolean | null; hold: (isHeld: boolean) => void }[] = [];

  const isHeld = (flow: Pausable): boolean => !fold.isRead() || pauses.has(flow);

  const update = (): void => {
    pauses.update();
    for (const follower of followers) {
      const isHeldNow = isHeld(follower.flow);
      if (follower.wasHeld === isHeldNow) continue;
      follower.wasHeld = isHeldNow;
      follower.hold(isHeldNow);
    }
  };

  const begin = (ranges: Ranges): Ranges => {
    const range = ranges.get(PARTITION);
    if (range) fold.begin(range);
    update();
    return new Map(range && [[PARTITION, range]]);
  };
  const tail = startTail(
    { topic },
    {
      begin,
      take: (record) => {
        const { partition, offset } = record;
        if (!fold.take(record)) log.error({ topic, partition, offset }, "control.unreadable");
        update();
        return true;
      },
      reached: (_, next) => {
        fold.reached(next);
        update();
      },
    },
    { ...services, ranges: () => cluster.ranges(topic) },
  );
  // Polled: clocks may jump, and timers are limited to 24 days.
  const updates = setInterval(update, CHECK_EVERY_MS);

  const health = (): Health => {
    const tailHealth = tail.health();
    if (fold.isRead()) return tailHealth;
    const unreadHealth = tail.unreadHealth([PARTITION]);
    if (unreadHealth !== null) return unreadHealth;
    return tailHealth.kind === "up" ? { kind: "reading", left: null } : tailHealth;
  };

  return {
    /** Calls `hold` at once and at each change: true while the flow is held. */
    follow: (flow: Pausable, hold: (isHeld: boolean) => void): void => {
      followers.push({ flow, wasHeld: null, hold });
      update();
    },
    isRead: fold.isRead,
    /** Whether the flow is paused, or the topic has not been read yet. */
    isHeld,
    untilOpen: async (flow: Pausable, signal: AbortSignal): Promise<void> => {
      while (isHeld(flow)) await clock.sleep(CHECK_EVERY_MS, signal);
    },
    paused: () => Object.fromEntries(flows.map((flow) => [flow, pauses.has(flow)])),
    health,
    components: () => ({
      // Once read, the last entries stay in force, and no restart would help.
      control: fold.isRead()
        ? { health: health(), serves: null, note: pauses.describe() }
        : { health: health(), serves: "pauses" },
    }),
    waiting: () => ({}),
    close: async (): Promise<void> => {
      clearInterval(updates);
      await Promise.all([tail.stop(), cluster.close()]);
    },
  } satisfies Subsystem & Record<string, unknown>;
};
