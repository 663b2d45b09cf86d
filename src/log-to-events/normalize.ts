import { members, type Member } from "../runtime/json.ts";

/** Removes case and separators, so that event_type, event-type and eventType compare as equal. */
export const normalize = (text: string): string => text.toLowerCase().replace(/[-_. :@$]/g, "");

/** A member of a JSON object; `key` is its name as written, `name` the normalized one. */
export type NormalizedMember = Member & { name: string };

/** Bounds the work on a hostile answer: no real entry has so many. */
const MAX_MEMBERS = 1_000;

/** The members of a JSON object; null for any other text, and for an object with too many members. */
export const normalizedMembers = (text: string): NormalizedMember[] | null => {
  const all = members(text);
  if (all === null || all.length > MAX_MEMBERS) return null;
  return all.map(({ key, raw }) => ({ key, name: normalize(key), raw }));
};
