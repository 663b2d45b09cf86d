import type { Config } from "../../config/config.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { isAhead } from "../schedule.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import { iso, readInstant } from "../../runtime/instant.ts";

/** The group that elects the leader: the member with partition 0 of the events topic reconciles. */
export const electionGroup = ({ kafka }: Pick<Config, "kafka">): string => `${kafka.groupId}-reconcile`;

/** What a leader tells later ones, in epoch milliseconds. Null: not known. */
export type ReconcileNote = {
  /** When the last complete run ended. */
  completeAtMs: number | null;
  /** When the last run that read everything began: later runs look back to there. */
  wholeAtMs: number | null;
};

/** When the last complete run ended; null if that is not known. */
export const completeAt = ({ completeAtMs }: ReconcileNote, nowMs: number): number | null =>
  completeAtMs === null || isAhead(completeAtMs, nowMs) ? null : completeAtMs;

/** Kept as the metadata of an offset that the election group commits. */
export const writeNote = ({ completeAtMs, wholeAtMs }: ReconcileNote): string =>
  JSON.stringify({
    ...(completeAtMs !== null && { completeAt: iso(completeAtMs) }),
    ...(wholeAtMs !== null && { wholeAt: iso(wholeAtMs) }),
  });

const instantOf = (value: unknown): number | null => (typeof value === "string" ? readInstant(value) : null);

export const readNote = (text: string): ReconcileNote => {
  // It may be no note, or one of another program. That of an older version only says when the run ended.
  const { completeAt: complete, wholeAt = complete } = objectOf(parseJson(text)) ?? {};
  return { completeAtMs: instantOf(complete), wholeAtMs: instantOf(wholeAt) };
};

/** What the last leader noted. */
export const lastNote = async (
  config: Config,
  cluster: Pick<Cluster, "committed">,
): Promise<ReconcileNote> => {
  const committed = await cluster.committed(electionGroup(config), config.topics.transactionStatus);
  return readNote(committed.get(0)?.note ?? "");
};
