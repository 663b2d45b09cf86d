import { members, type Member } from "../runtime/json.ts";

/** A name or value without what only spelling adds: event_type, event-type and eventType are one. */
export const normalized = (text: string): string => text.toLowerCase().replace(/[-_. :@$]/g, "");

/** A member with its name in the normal spelling beside its own. */
export type NamedMember = Member & { name: string };

/** The members of the object that a JSON text is; null for any other text. */
export const namedMembers = (text: string): NamedMember[] | null =>
  members(text)?.map(({ key, raw }) => ({ key, name: normalized(key), raw })) ?? null;
