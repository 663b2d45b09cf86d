import type { Metrics } from "../ops/metrics.ts";
import type { Kit } from "./kit.ts";

/** A kit whose publishers tell how long each record took to be acknowledged. */
export const timedKit = (kit: Kit, metrics: Pick<Metrics, "publishSeconds">): Kit => ({
  ...kit,
  publisher: (topic, options) => {
    const seconds = metrics.publishSeconds.labels(topic);
    return kit.publisher(topic, { ...options, acknowledged: (ms) => seconds.observe(ms / 1_000) });
  },
});
