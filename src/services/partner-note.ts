import { PARTNER_FAULTS, type PartnerHealth } from "../runtime/health.ts";

/** Marks this entry in the metadata of a group's commits, which others use as well. */
const LABEL = "partner:";

/** What a replica knows of the partner, as text without spaces, for `status` and the console; empty for nothing. */
export const partnerNote = (health: PartnerHealth | null): string => {
  if (health === null) return "";
  const untilMs = health.kind === "partnerFails" ? health.untilMs : null;
  return LABEL + [health.kind, health.why, health.sinceMs, untilMs ?? ""].join(",");
};

const isFault = (name: string): name is PartnerHealth["why"] => name in PARTNER_FAULTS;

const readEntry = (entry: string): PartnerHealth[] => {
  const [kind, why = "", since, until = ""] = entry.slice(LABEL.length).split(",");
  const sinceMs = Number(since);
  if (!isFault(why) || !Number.isFinite(sinceMs)) return [];
  if (kind === "acceptsHeld") return [{ kind, why, sinceMs }];
  if (kind !== "partnerFails") return [];
  return [{ kind, why, sinceMs, untilMs: until === "" ? null : Number(until) }];
};

/** What the replicas know of the partner, by the notes of their commits, each state once. */
export const partnerStates = (notes: readonly string[]): PartnerHealth[] => {
  const entries = notes.flatMap((note) => note.split(" ").filter((entry) => entry.startsWith(LABEL)));
  return [...new Set(entries)].flatMap(readEntry);
};
