import { normalized } from "./named.ts";

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type More = {
  /** A member outside of all arrays, with the name of the object around it; or a header. */
  member: (name: string, value: string | number | boolean | null, parent: string) => void;
  /** An array of entries has ended. */
  array: (entries: number) => void;
  /** What says that there are more entries than were given; null when nothing does. */
  hint: (entries: number) => MoreHint | null;
};

export type MoreHint =
  | "the answer names a next page"
  | "the answer says that there are more entries than it holds"
  | "the answer says that there are several pages"
  | "the answer holds as many entries as a full page";

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const NEXT = names(
  "next nextpage nextlink nexturl nexthref nexturi nexttoken nextpagetoken nextcursor nextoffset nextkey nextmarker continuation continuationtoken odatanextlink",
);
/** They may stand in the last page as well: nothing where the answer says that it is the last one. */
const CURSORS = names("cursor endcursor after aftercursor pagetoken scrollid marker");
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

/** Null, false, 0 and an empty string stand for no next page. */
const isNamed = (value: unknown): boolean =>
  (typeof value === "string" && value.trim() !== "") || (typeof value === "number" && value > 0);

const isTrue = (value: unknown): boolean => value === true || value === "true";
const isFalse = (value: unknown): boolean => value === false || value === "false";

/** Collects what an answer says of entries that it does not hold. */
export const moreHints = (): More => {
  let nextPage = false;
  let cursor = false;
  let saysMore = false;
  let saysLast = false;
  let pages = 0;
  let total = 0;
  let fullPage = false;
  const pageSizes = new Set<number>();

  const note = (name: string, value: string | number | boolean | null) => {
    if (NEXT.has(name)) nextPage ||= isNamed(value);
    if (CURSORS.has(name)) cursor ||= isNamed(value);
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
      note(normalized(name), value);
      // `next: { href }`, `total: { value }`
      if (NEXT.has(normalized(parent)) || normalized(name) === "value") note(normalized(parent), value);
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

/** Takes the hints of an answer's headers: Link, Content-Range, and X-Total-Count and the like. */
export const noteHeaders = (more: More, headers: AnswerHeaders): void => {
  for (const [name, value] of Object.entries(headers)) {
    const text = [value].flat().join(", ").slice(0, MAX_HEADER_LENGTH);
    // items 0-99/500
    const ofTotal = /^content-range$/i.test(name) ? /\/(\d+)\s*$/.exec(text)?.[1] : undefined;
    if (ofTotal !== undefined) more.member("total", ofTotal, "");
    if (name.toLowerCase() === "link" && LINK_TO_NEXT.test(text)) more.member("next", text, "");
    const [, own] = /^x-(.+)$/i.exec(name) ?? [];
    if (own !== undefined) more.member(own, text, "");
  }
};

const NEXT_IN_LIST = /"rel"\s*:\s*"next"/i;

/** Takes the hint of an element that is no entry, as in `links: [{ "rel": "next" }]`. */
export const noteElement = (more: More, text: string): void => {
  if (NEXT_IN_LIST.test(text)) more.member("next", "listed", "");
};
