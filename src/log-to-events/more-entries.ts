import { escapeInvisible } from "../runtime/invisible.ts";

/** What the settings say about members beside the entries; absent where the setting is, [] for `none`. */
export type MoreOptions = {
  /** JSON pointers to members that say that there are more, unless they say nothing. */
  logMorePointers?: readonly string[] | undefined;
  /** JSON pointers to members that hold a total of entries. */
  logTotalPointers?: readonly string[] | undefined;
  /** Hides secrets in the names of members, which an answer may repeat. */
  mask: (text: string) => string;
};

/** A member that says something: its value is not null, false, 0 or empty. */
export type Statement = { pointer: string; value: unknown };

/** Deeper objects count as one member: those of a hostile answer could exceed the call stack. */
const MAX_DEPTH = 8;
/** Bounds what is said of the names of members, which may be many and long. */
const MAX_NAMES_LENGTH = 400;
const NOTHING = ["", "null", "false", "0", "{}", "[]"];

/** Returns the members within a value that say something. */
export const statementsIn = (value: unknown, pointer = "", depth = 0): Statement[] => {
  if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
    return Object.entries(value).flatMap(([name, inner]) =>
      statementsIn(inner, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1),
    );
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  return NOTHING.includes(text) ? [] : [{ pointer, value }];
};

/** Whether the pointer leads to the member, to an object around it, or into it where it is an array. */
const leadsTo = (pointer: string, member: string): boolean =>
  `${member}/`.startsWith(`${pointer}/`) || pointer.startsWith(`${member}/`);

const LINK_TO_NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;
const MAX_HEADER_LENGTH = 4_096;

/** Whether a Link header (RFC 8288) names a next page. */
export const linksToMore = (link: string | string[] | undefined): boolean =>
  LINK_TO_NEXT.test([link].flat().join(", ").slice(0, MAX_HEADER_LENGTH));

export const MORE = "the answer says that there are more entries than it holds";

/**
 * Returns why members beside the entries may say that there are more, for people; null when nothing says so.
 * @param statements those beside the entries
 * @param entries how many entries the answer holds
 */
export const moreThanEntries = (
  statements: readonly Statement[],
  entries: number,
  { logMorePointers, logTotalPointers, mask }: MoreOptions,
): string | null => {
  if (logMorePointers || logTotalPointers) {
    const isNamed = (pointers: readonly string[] | undefined, member: string): boolean =>
      pointers?.some((pointer) => leadsTo(pointer, member)) ?? false;
    const saysMore = ({ pointer, value }: Statement): boolean =>
      isNamed(logMorePointers, pointer) ||
      (isNamed(logTotalPointers, pointer) && !(Number(value) <= entries));
    return statements.some(saysMore) ? MORE : null;
  }
  if (statements.length === 0) return null;
  const names = mask(statements.map(({ pointer }) => pointer).join(", ")).slice(0, MAX_NAMES_LENGTH);
  return (
    `beside its entries the answer holds ${escapeInvisible(names)}, which may say that there are more: name what does ` +
    "in PARTNER_LOG_MORE_POINTERS or PARTNER_LOG_TOTAL_POINTERS, or set both to none"
  );
};
