import type { Metrics } from "../ops/metrics.ts";
import type { Kit } from "./kit.ts";

/** A kit whose publishers tell how long each record took to be acknowledged. */
export const timedKit = (kit: Kit, metrics: Pick<Metrics, "publishSeconds">): Kit => ({
  ...kit,
  publisher: (topic, bounds) => {
    const publisher = kit.publisher(topic, bounds);
    const seconds = metrics.publishSeconds.labels(topic);
    return {
      ...publisher,
      publish: async (record, timeoutMs) => {
        const startedAt = kit.clock.monotonic();
        const written = await publisher.publish(record, timeoutMs);
        seconds.observe((kit.clock.monotonic() - startedAt) / 1_000);
        return written;
      },
    };
  },
});
