import type { Cluster } from "../cluster/cluster.ts";
import { PARTNER_FAULTS, type PartnerFault, type PartnerHealth } from "../../runtime/health.ts";

/** Marks this entry in the metadata of a group's commits, which others use as well. */
const LABEL = "partner:";

/** One trouble of the partner that a replica knows, as text without spaces, for `status` and the console. */
export const partnerNote = (health: PartnerHealth): string => {
  const why = "why" in health ? health.why : "";
  const untilMs = "untilMs" in health ? health.untilMs : null;
  return LABEL + [health.kind, why, health.sinceMs, untilMs ?? ""].join(",");
};

const isFault = (name: string): name is PartnerFault => name in PARTNER_FAULTS;

const readEntry = (entry: string): PartnerHealth[] => {
  const [kind, why = "", since, until = ""] = entry.slice(LABEL.length).split(",");
  const [sinceMs, untilMs] = [Number(since), until === "" ? null : Number(until)];
  if (![sinceMs, untilMs ?? 0].every(Number.isFinite)) return [];
  if (kind === "doubtOpen") return [{ kind, sinceMs }];
  if (kind === "rateUsedUp") return untilMs === null ? [] : [{ kind, sinceMs, untilMs }];
  if (!isFault(why)) return [];
  if (kind === "acceptsHeld") return untilMs === null ? [] : [{ kind, why, sinceMs, untilMs }];
  return kind === "partnerFails" ? [{ kind, why, sinceMs, untilMs }] : [];
};

/** What the replicas know of the partner, by the notes of their commits: each trouble once, as it lasts longest. */
const partnerStates = (notes: readonly string[]): PartnerHealth[] => {
  const states = notes.flatMap((note) =>
    note.split(" ").flatMap((entry) => (entry.startsWith(LABEL) ? readEntry(entry) : [])),
  );
  const latestFirst = states.sort((a, b) => b.sinceMs - a.sinceMs);
  const nameOf = (state: PartnerHealth): string => state.kind + ("why" in state ? state.why : "");
  return [...new Map(latestFirst.map((state) => [nameOf(state), state])).values()];
};

/** What is wrong with the partner, as the replicas say that hold partitions of the commands topic. */
export const askPartnerStates = async (cluster: Cluster, groupId: string, topic: string) => {
  const { members } = await cluster.group(groupId);
  if (members.length === 0) return [];
  return partnerStates([...(await cluster.committed(groupId, topic)).values()].map(({ note }) => note));
};
