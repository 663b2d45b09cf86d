import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { protocolErrorOf } from "../../kafka/errors.ts";
import type { Ranges } from "../../kafka/consume/tail.ts";
import type { LetterFilter } from "../../console/ports.ts";
import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { noSuchTopic } from "../with-cluster.ts";

/** A timestamp for ListOffsets: negative ones have special meanings there. */
export const clampInstant = (ms: number): number => Math.max(0, Math.min(Math.trunc(ms), MAX_INSTANT_MS));

/** The dead letters that a filter of the page means. */
export const selectionOf = ({ reason, sinceMs, untilMs }: LetterFilter) => ({
  reason: reason ?? undefined,
  sinceMs: sinceMs === null ? undefined : clampInstant(sinceMs),
  untilMs: untilMs === null ? undefined : clampInstant(untilMs),
});

export const recordsIn = (ranges: Ranges): number =>
  [...ranges.values()].reduce(
    (sum, { startOffset, endOffset }) => sum + Math.max(0, endOffset - startOffset),
    0,
  );

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
    throw noSuchTopic(topic, { cause: error });
  }
};
