import type { Config } from "../config/config.ts";
import type { Cluster } from "../kafka/cluster/cluster.ts";
import { readInstant } from "../runtime/instant.ts";

/** The group that elects the leader: the member with partition 0 of the events topic reconciles. */
export const electionGroup = ({ kafka }: Pick<Config, "kafka">): string => `${kafka.groupId}-reconcile`;

/** Kept as the metadata of an offset that the election group commits. */
export const completeNote = (atMs: number): string =>
  JSON.stringify({ completeAt: new Date(atMs).toISOString() });

const atIn = (note: string): number | null => {
  try {
    const { completeAt } = (JSON.parse(note) ?? {}) as { completeAt?: unknown };
    return typeof completeAt === "string" ? readInstant(completeAt) : null;
  } catch {
    return null;
  }
};

/** When the last complete run ended (epoch milliseconds), as its replica noted; null if none has. */
export const lastComplete = async (
  config: Config,
  cluster: Pick<Cluster, "committed">,
): Promise<number | null> => {
  const committed = await cluster.committed(electionGroup(config), config.topics.transactionStatus);
  return atIn(committed.get(0)?.note ?? "");
};
