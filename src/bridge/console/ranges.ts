import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { protocolErrorOf } from "../../kafka/errors.ts";
import type { Ranges } from "../../kafka/consume/tail.ts";
import type { LetterFilter } from "../../console/ports.ts";
import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { UsageError } from "../../runtime/errors.ts";

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
