import type { Config } from "../config/config.ts";
import { sentenceOf } from "../runtime/health.ts";
import { askPartnerStates } from "../kafka/wire/partner-note.ts";
import type { Services } from "../kafka/wire/services.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import { ok, warn, type Check } from "./check.ts";

const REMEDY = "see `cambio-bridge status`, and the table of failures in docs/failures.md";

/** What the replicas that run say of the partner: a call of ours may succeed while theirs are held back. */
export const checkReplicas = (config: Config, services: Services): Promise<readonly Check[]> =>
  withCluster(services, async (cluster) => {
    const { commands } = config.topics;
    const isThere = (await cluster.find([commands])).has(commands);
    const states = isThere ? await askPartnerStates(cluster, config.kafka.groupId, commands) : [];
    return states.length === 0
      ? [ok("calls of the replicas", "no replica says that something holds them back")]
      : states.map((health) => warn("calls of the replicas", sentenceOf(health), REMEDY));
  });
