import { objectOf, type Json } from "../runtime/json-object.ts";

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
  const isText = typeof value === "string" && value.trim() !== "" && !isFalse(value);
  return isText || isTrue(value) || numberOf(value) > 0;
};

/** Names of members, in lower case without accents and separators, and what value of theirs says that there are more. */
const HINTS: readonly (readonly [names: RegExp, saysMore: (value: unknown, entries: number) => boolean])[] = [
  [
    anyOf(
      `^${HAS}?(more|mais)`,
      `^${HAS}(next|proxim|seguinte)`,
      "truncad|truncat",
      "^(partial|parcial|incomplet)",
    ),
    isTrue,
  ],
  [/^(is|eh?)?(last|ultim[ao])(page|pagina)?$/, isFalse],
  [
    anyOf(
      `^(total|num(ber)?|numero|qtde?|quantidade)?${OF}${PAGES}(count|total)?$`,
      "^pag(e|ina)count$|^(last|ultima)(page|pagina)$",
    ),
    (value) => numberOf(value) > 1,
  ],
  [
    anyOf(
      `^(odata)?(total|count|qtde?|quantidade)${OF}${THINGS}?(count)?$`,
      `^num(ber|ero)?${OF}${THINGS}$|^${THINGS}(count|total)$`,
    ),
    (value, entries) => numberOf(value) > entries,
  ],
  [
    anyOf(
      `^(odata)?(next|proxim)|(next|proxim[ao]|seguinte)$`,
      "^(?!prev|anterior|start|before).*cursor|continua|^marker$",
      "^(page|scroll|pagina)(token|id|key|chave)$|^(last|ultima)(evaluated)?(key|chave)$",
    ),
    isPresent,
  ],
];

/**
 * Whether an answer says that there are more entries than it holds.
 * @param frame the answer without the elements of its arrays
 * @param entries how many it holds
 */
export const frameSaysMore = (frame: unknown, entries: number): boolean => {
  const search = (object: Json, depth: number): boolean =>
    Object.entries(object).some(([name, value]) => {
      const says = normalized(name);
      const inner = depth < MAX_DEPTH ? objectOf(value) : null;
      return (
        HINTS.some(([names, saysMore]) => names.test(says) && saysMore(value, entries)) ||
        (inner !== null && search(inner, depth + 1))
      );
    });
  const root = objectOf(frame);
  return root !== null && search(root, 1);
};

const LINK_TO_NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;
const MAX_HEADER_LENGTH = 4_096;

/** Whether a 206 or a Link header (RFC 8288) says the same. */
export const headSaysMore = (
  httpStatus: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean =>
  httpStatus === 206 || LINK_TO_NEXT.test([headers["link"]].flat().join(", ").slice(0, MAX_HEADER_LENGTH));
