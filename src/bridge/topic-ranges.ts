import type { Cluster } from "../kafka/cluster/cluster.ts";
import { protocolErrorOf } from "../kafka/errors.ts";
import type { Ranges } from "../kafka/consume/tail.ts";
import { UsageError } from "../runtime/errors.ts";

/** Names `doctor`, not `setup`: a journal that was deleted must not simply be created again. */
export const missingTopics = (topics: readonly string[]): string =>
  `There is no topic ${topics.join(", ")}: \`cambio-bridge doctor\` says what to do.`;

/**
 * The offsets of a topic by partition, since `sinceMs` where it is given. Throws a UsageError when there is
 * no such topic.
 */
export const rangesOf = async (
  cluster: Pick<Cluster, "ranges">,
  topic: string,
  sinceMs?: number,
): Promise<Ranges> => {
  try {
    return await cluster.ranges(topic, sinceMs);
  } catch (error) {
    if (protocolErrorOf(error) !== "UNKNOWN_TOPIC_OR_PARTITION") throw error;
    throw new UsageError(missingTopics([topic]), { cause: error });
  }
};
