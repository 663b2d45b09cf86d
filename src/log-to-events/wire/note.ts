import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import type { Services } from "../../services/services.ts";
import { iso, readInstant } from "../../runtime/instant.ts";

/** The group that elects the leader: the member with partition 0 of the events topic reconciles. */
export const electionGroup = ({ kafka }: Pick<Services["config"], "kafka">): string =>
  `${kafka.groupId}-reconcile`;

/** What a leader tells later ones, as the metadata of an offset: when the last complete run ended. */
export const writeNote = (completeAtMs: number): string => JSON.stringify({ completeAt: iso(completeAtMs) });

/** Null for what is no note. */
export const readNote = (text: string): number | null => {
  const { completeAt } = objectOf(parseJson(text)) ?? {};
  return typeof completeAt === "string" ? readInstant(completeAt) : null;
};

/** When the last complete run of any leader ended; null if that is not known. */
export const lastCompleteAt = async (
  config: Services["config"],
  cluster: Pick<Cluster, "committed">,
): Promise<number | null> => {
  const committed = await cluster.committed(electionGroup(config), config.topics.transactionStatus);
  return readNote(committed.get(0)?.note ?? "");
};
