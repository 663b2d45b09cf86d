import type { Config } from "../config/config.ts";
import type { Cluster } from "../kafka/cluster/cluster.ts";
import { readInstant } from "../runtime/instant.ts";

/** Its member to which the first partition of the events topic is assigned is the one that reconciles. */
export const electionGroup = ({ kafka }: Pick<Config, "kafka">): string => `${kafka.groupId}-reconcile`;

/** What stands beside an offset of the election group, which nobody reads from. */
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

/** When the last run that read the partner's log completely ended, as its replica wrote down; null where none did. */
export const lastComplete = async (
  config: Config,
  cluster: Pick<Cluster, "committed">,
): Promise<number | null> => {
  const committed = await cluster.committed(electionGroup(config), config.topics.transactionStatus);
  return atIn(committed.get(0)?.note ?? "");
};
