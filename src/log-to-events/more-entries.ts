import { escapeInvisible } from "../runtime/invisible.ts";
import type { AnswerArray } from "./split-answer.ts";

/** What the settings say about members beside the entries; null where the setting is absent, [] for `none`. */
export type MoreOptions = {
  /** JSON pointers to members that say that there are more, unless they say nothing. */
  morePointers: readonly string[] | null;
  /** JSON pointers to members that hold a total of entries. */
  totalPointers: readonly string[] | null;
  /** Hides secrets in the names of members, which an answer may repeat. */
  mask: (text: string) => string;
};

/** A member that says something: its value is not null, false, 0 or empty. */
type Statement = { pointer: string; value: unknown };

/** Deeper objects count as one member: those of a hostile answer could exceed the call stack. */
const MAX_DEPTH = 8;
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 80;

const pointerOf = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const statementsIn = (value: unknown, path: readonly string[] = []): Statement[] => {
  if (typeof value === "object" && value !== null && path.length < MAX_DEPTH)
    return Object.entries(value).flatMap(([name, inner]) => statementsIn(inner, [...path, name]));
  const isEmpty = ["", "null", "false", "0", "{}", "[]"].includes(
    typeof value === "string" ? value.trim() : JSON.stringify(value),
  );
  return isEmpty ? [] : [{ pointer: pointerOf(path), value }];
};

/** Whether the pointer leads to the member, to an object around it, or into it where it is an array. */
const leadsTo = (pointer: string, member: string): boolean =>
  `${member}/`.startsWith(`${pointer}/`) || pointer.startsWith(`${member}/`);

const LINK_TO_NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;
const MAX_HEADER_LENGTH = 4_096;

/** Whether a Link header (RFC 8288) names a next page. */
export const linksToMore = (link: string | string[] | undefined): boolean =>
  LINK_TO_NEXT.test([link].flat().join(", ").slice(0, MAX_HEADER_LENGTH));

export type AnswerHead = {
  httpStatus: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

const MORE = "the answer says that there are more entries than it holds";

/**
 * Returns why there may be more entries than the answer holds, for people; null when nothing says so.
 * @param frame the answer without the elements of its arrays
 * @param others the arrays that do not hold the entries
 * @param entries how many entries the answer holds
 */
export const moreThanEntries = (
  { httpStatus, headers }: AnswerHead,
  { frame, others, entries }: { frame: unknown; others: readonly AnswerArray[]; entries: number },
  { morePointers, totalPointers, mask }: MoreOptions,
): string | null => {
  if (httpStatus === 206 || linksToMore(headers["link"])) return MORE;
  const statements = [
    ...(typeof frame === "object" ? statementsIn(frame) : []),
    ...others
      .filter(({ elements }) => elements > 0)
      .map(({ path }) => ({ pointer: pointerOf(path), value: "an array" })),
  ];
  const isNamed = (pointers: readonly string[] | null, member: string): boolean =>
    (pointers ?? []).some((pointer) => leadsTo(pointer, member));
  if (morePointers !== null || totalPointers !== null) {
    const saysMore = ({ pointer, value }: Statement): boolean =>
      isNamed(morePointers, pointer) || (isNamed(totalPointers, pointer) && !(Number(value) <= entries));
    return statements.some(saysMore) ? MORE : null;
  }
  if (statements.length === 0) return null;
  const names = statements
    .slice(0, MAX_NAMES)
    .map(({ pointer }) => escapeInvisible(mask(pointer).slice(0, MAX_NAME_LENGTH)));
  const rest = statements.length > MAX_NAMES ? ` and ${statements.length - MAX_NAMES} more` : "";
  return (
    `beside its entries the answer holds ${names.join(", ")}${rest}, which may say that there are more: name what does ` +
    "in PARTNER_LOG_MORE_POINTERS or PARTNER_LOG_TOTAL_POINTERS, or set both to none"
  );
};
