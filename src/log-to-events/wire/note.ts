import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import type { Services } from "../../services/services.ts";
import { iso, readInstant } from "../../runtime/instant.ts";

/** The group that elects the leader: the member with partition 0 of the events topic reconciles. */
export const electionGroup = ({ kafka }: Pick<Services["config"], "kafka">): string =>
  `${kafka.groupId}-reconcile`;

/** What a leader tells later ones, as the metadata of an offset, in epoch milliseconds. Null: not known. */
export type ReconcileNote = {
  /** When the last complete run ended. */
  completeAtMs: number | null;
  /** When the last complete run began: later leaders look back to the window of that. */
  wholeAtMs: number | null;
};

/** A note of 0.3.0 only says when the run ended; no run takes longer. */
const LONGEST_RUN_MS = 86_400_000;

export const writeNote = ({ completeAtMs, wholeAtMs }: ReconcileNote): string =>
  JSON.stringify({
    ...(completeAtMs !== null && { completeAt: iso(completeAtMs) }),
    ...(wholeAtMs !== null && { wholeAt: iso(wholeAtMs) }),
  });

const instantOf = (value: unknown): number | null => (typeof value === "string" ? readInstant(value) : null);

/** Of what is no note nothing is known. */
export const readNote = (text: string): ReconcileNote => {
  const { completeAt, wholeAt } = objectOf(parseJson(text)) ?? {};
  const completeAtMs = instantOf(completeAt);
  const fallback = completeAtMs === null ? null : completeAtMs - LONGEST_RUN_MS;
  return { completeAtMs, wholeAtMs: instantOf(wholeAt) ?? fallback };
};

/** What the last leader noted. */
export const lastNote = async (
  config: Services["config"],
  cluster: Pick<Cluster, "committed">,
): Promise<ReconcileNote> => {
  const committed = await cluster.committed(electionGroup(config), config.topics.transactionStatus);
  return readNote(committed.get(0)?.note ?? "");
};
