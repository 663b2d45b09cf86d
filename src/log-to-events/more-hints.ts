import { objectOf, type Json } from "../runtime/json-object.ts";

export type MoreHint =
  | "the answer names a next page"
  | "the answer says that there are several pages"
  | "the answer says that there are more entries than it holds";

/** How deep a hint may stand, in objects: at the root, beside the array, or in an object of either. */
const MAX_DEPTH = 4;

const HAS = "(is|has|have|tem|ha|possui|existem?)";
const OF = "(of|de)?";
const PAGES = "(pages|paginas)";
const THINGS = `((${[
  ..."item iten record registro element elemento result resultado entry entrie entrada".split(" "),
  ..."log row linha hit notification notificacoe event evento".split(" "),
].join("|")})s?)`;
const anyOf = (...forms: string[]): RegExp => new RegExp(forms.join("|"));

/** What a member's name says, in lower case without accents and separators. The first match counts. */
const NAMES = {
  /** True: there are more. */
  more: anyOf(
    `^${HAS}?(more|mais)`,
    `^${HAS}(next|proxim|seguinte)`,
    "truncad|truncat",
    "^(partial|parcial|incomplet)",
  ),
  /** False: there are more. */
  last: /^(is|eh?)?(last|ultim[ao])(page|pagina)?$/,
  pages: anyOf(
    `^(total|num(ber)?|numero|qtde?|quantidade)?${OF}${PAGES}(count|total)?$`,
    "^pag(e|ina)count$|^(last|ultima)(page|pagina)$",
  ),
  total: anyOf(
    `^(odata)?(total|count|qtde?|quantidade)${OF}${THINGS}?(count)?$`,
    `^num(ber|ero)?${OF}${THINGS}$|^${THINGS}(count|total)$`,
  ),
  next: anyOf(
    "^(odata)?(next|proxim)|(next|proxim[ao]|seguinte)$",
    "^(?!prev|anterior|start|before).*cursor|continua|^marker$",
    "^(page|scroll|pagina)(token|id|key|chave)$|^(last|ultima)(evaluated)?(key|chave)$",
  ),
} as const;

const normalized = (name: string): string =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");

const numberOf = (value: unknown): number =>
  typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value)) ? Number(value) : 0;
const isTrue = (value: unknown): boolean => value === true || value === "true";
const isFalse = (value: unknown): boolean => value === false || value === "false";

/** Null, false, 0, an empty text and an empty object name no next page. */
const isPresent = (value: unknown): boolean => {
  const inner = objectOf(value);
  if (inner) return Object.values(inner).some(isPresent);
  return (
    (typeof value === "string" && value.trim() !== "" && !isFalse(value)) ||
    isTrue(value) ||
    numberOf(value) > 0
  );
};

const hintOf = (name: string, value: unknown, entries: number): MoreHint | null => {
  const says = normalized(name);
  if (NAMES.more.test(says) && isTrue(value))
    return "the answer says that there are more entries than it holds";
  if (NAMES.last.test(says) && isFalse(value)) return "the answer says that there are several pages";
  if (NAMES.pages.test(says))
    return numberOf(value) > 1 ? "the answer says that there are several pages" : null;
  if (NAMES.total.test(says) && numberOf(value) > entries)
    return "the answer says that there are more entries than it holds";
  return NAMES.next.test(says) && isPresent(value) ? "the answer names a next page" : null;
};

/**
 * What an answer says about entries that it does not hold; null for nothing.
 * @param frame the answer without the elements of its arrays
 * @param entries how many it holds
 */
export const hintInFrame = (frame: unknown, entries: number): MoreHint | null => {
  const search = (object: Json, depth: number): MoreHint | null => {
    for (const [name, value] of Object.entries(object)) {
      const inner = depth < MAX_DEPTH ? objectOf(value) : null;
      const hint = hintOf(name, value, entries) ?? (inner && search(inner, depth + 1));
      if (hint !== null) return hint;
    }
    return null;
  };
  const root = objectOf(frame);
  return root && search(root, 1);
};

const LINK_TO_NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;
const MAX_HEADER_LENGTH = 4_096;

/** The hint of a Link header (RFC 8288), or of a 206. */
export const hintInHead = (
  httpStatus: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): MoreHint | null => {
  if (httpStatus === 206) return "the answer says that there are more entries than it holds";
  const link = [headers["link"]].flat().join(", ").slice(0, MAX_HEADER_LENGTH);
  return LINK_TO_NEXT.test(link) ? "the answer names a next page" : null;
};
