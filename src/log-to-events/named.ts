import { members, type Member } from "../runtime/json.ts";

/** A name or value without what only spelling adds: event_type, event-type and eventType are one. */
export const normalized = (text: string): string => text.toLowerCase().replace(/[-_. :@$]/g, "");

/** A member with its name in the normal spelling beside its own. */
export type NamedMember = Member & { name: string };

/** No entry has more; what has them is hostile, and not worth the time to look into it. */
const MAX_MEMBERS = 1_000;

/** The members of the object that a JSON text is; null for any other text, and for an object of too many members. */
export const namedMembers = (text: string): NamedMember[] | null => {
  const all = members(text);
  if (all === null || all.length > MAX_MEMBERS) return null;
  return all.map(({ key, raw }) => ({ key, name: normalized(key), raw }));
};
