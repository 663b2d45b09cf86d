import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { protocolErrorOf } from "../../kafka/errors.ts";
import type { Range } from "../../kafka/consume/tail.ts";
import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { noSuchTopic } from "../with-cluster.ts";

/** A timestamp for ListOffsets: negative ones have special meanings there. */
export const clampInstant = (ms: number): number => Math.max(0, Math.min(Math.trunc(ms), MAX_INSTANT_MS));

/**
 * The offsets of a topic by partition, since `sinceMs` where it is given. Throws a UsageError when there is
 * no such topic.
 */
export const rangesOf = async (
  cluster: Pick<Cluster, "ranges">,
  topic: string,
  sinceMs?: number,
): Promise<ReadonlyMap<number, Range>> => {
  try {
    return await cluster.ranges(topic, sinceMs);
  } catch (error) {
    if (protocolErrorOf(error) !== "UNKNOWN_TOPIC_OR_PARTITION") throw error;
    throw noSuchTopic(topic, { cause: error });
  }
};
