import { normalize } from "./normalize.ts";

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type PaginationHints = {
  /**
   * Takes a member outside all arrays, with the name of the object around it; or a header, with `parent`
   * empty.
   */
  member: (name: string, value: string | number | boolean | null, parent: string) => void;
  /** Takes the length of an array of entries. */
  array: (entries: number) => void;
  /**
   * The strongest hint that the partner has more entries than the `entries` of this answer; null without any.
   */
  hint: (entries: number) => PaginationHint | null;
};

export type PaginationHint =
  | "the answer names a next page"
  | "the answer says that there are more entries than it holds"
  | "the answer says that there are several pages"
  | "the answer holds as many entries as a full page";

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const NEXT = names(
  "next nextpage nextlink nexturl nexthref nexturi nexttoken nextpagetoken nextcursor nextoffset nextkey nextmarker continuation continuationtoken odatanextlink",
);
/** The last page may have these too: they count only unless the answer says that it is the last page. */
const CURSOR = names("cursor endcursor after aftercursor pagetoken scrollid marker");
const HAS_MORE = names(
  "hasmore hasnext hasnextpage hasmorepages hasmoreresults more moreavailable moreresults istruncated truncated partial incomplete",
);
const IS_LAST = names("last islast islastpage lastpage done complete");
const TOTALS = names(
  "total totalcount totalelements totalitems totalresults totalrecords totalentries totalhits totalrows count itemcount recordcount recordstotal odatacount",
);
const PAGES = names("totalpages pagecount pages numpages totalpagecount lastpage");
const PAGE_SIZES = names("limit pagesize perpage pagelimit maxresults itemsperpage");
const ROUND_NUMBERS = new Set([100, 200, 250, 500, 1_000, 5_000, 10_000]);

const numberOf = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "string" && /^\d+$/.test(value) ? Number(value) : NaN;

/** Null, false, 0 and an empty string mean that there is no next page. */
const isPresent = (value: unknown): boolean =>
  (typeof value === "string" && value.trim() !== "") || (typeof value === "number" && value > 0);

const isTrue = (value: unknown): boolean => value === true || value === "true";
const isFalse = (value: unknown): boolean => value === false || value === "false";

/** Collects what an answer says about further pages. */
export const paginationHints = (): PaginationHints => {
  let nextPage = false;
  let cursor = false;
  let saysMore = false;
  let saysLast = false;
  let pages = 0;
  let total = 0;
  let fullPage = false;
  const pageSizes = new Set<number>();

  const note = (name: string, value: string | number | boolean | null) => {
    if (NEXT.has(name)) nextPage ||= isPresent(value);
    if (CURSOR.has(name)) cursor ||= isPresent(value);
    if (HAS_MORE.has(name)) {
      saysMore ||= isTrue(value);
      saysLast ||= isFalse(value);
    }
    if (IS_LAST.has(name)) {
      saysMore ||= isFalse(value);
      saysLast ||= isTrue(value);
    }
    if (TOTALS.has(name)) total = Math.max(total, numberOf(value) || 0);
    if (PAGES.has(name)) pages = Math.max(pages, numberOf(value) || 0);
    if (PAGE_SIZES.has(name) && pageSizes.size < 10) pageSizes.add(numberOf(value));
  };

  return {
    member: (name, value, parent) => {
      note(normalize(name), value);
      // As in `next: { href }` and `total: { value }`.
      if (NEXT.has(normalize(parent)) || normalize(name) === "value") note(normalize(parent), value);
    },
    array: (entries) => {
      fullPage ||= ROUND_NUMBERS.has(entries);
    },
    hint: (entries) => {
      if (nextPage || (cursor && !saysLast)) return "the answer names a next page";
      if (saysMore || total > entries) return "the answer says that there are more entries than it holds";
      if (pages > 1) return "the answer says that there are several pages";
      const isFull = fullPage || ROUND_NUMBERS.has(entries) || (pageSizes.has(entries) && total !== entries);
      return isFull && entries > 0 ? "the answer holds as many entries as a full page" : null;
    },
  };
};

const MAX_HEADER_LENGTH = 4_096;
const LINK_TO_NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;

// As `items 0-499/500`, or `items */0`.
const isEverything = (contentRange: string): boolean => {
  const [, last = "-1", total] = /^(?:\w+ )?(?:0-(\d+)|\*)\/(\d+)$/.exec(contentRange) ?? [];
  return total !== undefined && Number(last) + 1 === Number(total);
};

/**
 * Takes the hints in an answer's status and headers: Link, Content-Range, and those like X-Total-Count. A 206
 * is a part, unless its range is everything.
 */
export const noteHead = (hints: PaginationHints, httpStatus: number, headers: AnswerHeaders): void => {
  const { "content-range": range } = headers;
  if (httpStatus === 206 && !isEverything([range].flat().join(", "))) hints.member("partial", true, "");
  for (const [name, value] of Object.entries(headers)) {
    const text = [value].flat().join(", ").slice(0, MAX_HEADER_LENGTH);
    // As in `content-range: items 0-99/500`.
    const total = /^content-range$/i.test(name) ? /\/(\d+)\s*$/.exec(text)?.[1] : undefined;
    if (total !== undefined) hints.member("total", total, "");
    if (name.toLowerCase() === "link" && LINK_TO_NEXT.test(text)) hints.member("next", text, "");
    const [, ownName] = /^x-(.+)$/i.exec(name) ?? [];
    if (ownName !== undefined) hints.member(ownName, text, "");
  }
};

const REL_NEXT = /"rel"\s*:\s*"next"/i;

/** Takes the hint of an array element that is no entry, as in `links: [{ "rel": "next" }]`. */
export const noteElement = (hints: PaginationHints, text: string): void => {
  if (REL_NEXT.test(text)) hints.member("next", "listed", "");
};
