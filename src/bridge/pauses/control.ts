import { startTail } from "../../kafka/consume/tail.ts";
import type { Services } from "../../kafka/wire/services.ts";
import type { Health } from "../../runtime/health.ts";
import type { Subsystem } from "../../runtime/subsystem.ts";
import type { Pausable } from "./pause-entry.ts";
import { createPauses } from "./pauses.ts";

export type Control = Awaited<ReturnType<typeof openControl>>;

/** The topic's only partition: `serve` refuses a control topic with more. */
const PARTITION = 0;
const CHECK_EVERY_MS = 250;

/** Follows the control topic. Rejects if Kafka does not answer; later, without Kafka, the last entries stay in force. */
export const openControl = async (services: Services, flows: readonly Pausable[]) => {
  const { clock, log } = services;
  const topic = services.config.topics.control;
  const cluster = await services.connectCluster();
  const pauses = createPauses(flows, services);
  const { isRead, isHeld, isPaused, follow } = pauses;
  const tail = startTail(
    { topic },
    {
      begin: (ranges) => {
        const range = ranges.get(PARTITION);
        if (range) pauses.begin(range);
        return new Map(range && [[PARTITION, range]]);
      },
      take: (record) => {
        const { partition, offset } = record;
        if (!pauses.take(record)) log.error({ topic, partition, offset }, "control.unreadable");
        return true;
      },
      reached: (_, next) => pauses.reached(next),
    },
    { ...services, ranges: () => cluster.ranges(topic) },
  );
  // Polled: clocks may jump, and timers are limited to 24 days.
  const updates = setInterval(pauses.update, CHECK_EVERY_MS);

  const health = (): Health => {
    const tailHealth = tail.health();
    if (isRead()) return tailHealth;
    const unreadHealth = tail.unreadHealth([PARTITION]);
    if (unreadHealth !== null) return unreadHealth;
    return tailHealth.kind === "up" ? { kind: "reading", left: null } : tailHealth;
  };

  return {
    follow,
    isRead,
    isHeld,
    untilOpen: async (flow: Pausable, signal: AbortSignal): Promise<void> => {
      while (isHeld(flow)) await clock.sleep(CHECK_EVERY_MS, signal);
    },
    paused: () => Object.fromEntries(flows.map((flow) => [flow, isPaused(flow)])),
    health,
    components: () => ({
      // Once read, the last entries stay in force, and no restart would help.
      control: isRead()
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
