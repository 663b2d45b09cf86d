import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { objectOf, parseJson } from "../../runtime/json.ts";
import type { Services } from "../../kafka/wire/services.ts";
import { isoOrNull, readInstant } from "../../runtime/instant.ts";

/** The group that elects the leader: the member with partition 0 of the events topic reconciles. */
export const electionGroup = ({ kafka }: Pick<Services["config"], "kafka">): string =>
  `${kafka.groupId}-reconcile`;

/** What a leader tells later ones, as the metadata of an offset. Null stands for an instant that is not known. */
export type ReconcileNote = {
  /** When the last complete run ended. */
  completeAtMs: number | null;
  /** When the last complete run began: later leaders look back to the window of that. */
  wholeAtMs: number | null;
};

/** Notes of version 0.3.0 say only when the run ended; no run takes longer than this. */
const LONGEST_RUN_MS = 86_400_000;

export const writeNote = ({ completeAtMs, wholeAtMs }: ReconcileNote): string =>
  JSON.stringify({ completeAt: isoOrNull(completeAtMs), wholeAt: isoOrNull(wholeAtMs) });

const instantOf = (value: unknown): number | null => (typeof value === "string" ? readInstant(value) : null);

/** Reads a note. A text that is none says nothing of earlier runs. */
export const readNote = (text: string): ReconcileNote => {
  const { completeAt, wholeAt } = objectOf(parseJson(text)) ?? {};
  const completeAtMs = instantOf(completeAt);
  const fallback = completeAtMs === null ? null : completeAtMs - LONGEST_RUN_MS;
  return { completeAtMs, wholeAtMs: instantOf(wholeAt) ?? fallback };
};

export const lastNote = async (
  config: Services["config"],
  cluster: Pick<Cluster, "committed">,
): Promise<ReconcileNote> => {
  const committed = await cluster.committed(electionGroup(config), config.topics.transactionStatus);
  return readNote(committed.get(0)?.note ?? "");
};
