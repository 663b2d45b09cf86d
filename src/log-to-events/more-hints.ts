import { objectOf, type Json } from "../runtime/json-object.ts";

/** How deep a hint may stand, in objects: at the root, beside the array, or in an object of either. */
const MAX_DEPTH = 4;

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

const THINGS = [
  "items?|itens|records?|registros?|elements?|elementos?|results?|resultados?|entry|entries|entradas?",
  "logs?|rows?|linhas?|hits?|notifications?|notificacao|notificacoes|events?|eventos?",
].join("|");
const TOTAL = [
  `^(odata)?(total|count|qtde?|quantidade)((of|de)?(${THINGS}))?(count)?$`,
  `^num(ber|ero)?(of|de)?(${THINGS})$|^(${THINGS})(count|total)$`,
].join("|");
const PAGES = /^(total|num(ber)?|numero|qtde?|quantidade)?(of|de)?(pages|paginas)(count|total)?$/;

/** Names of members, in lower case without accents and separators, and what value of theirs says that there are more. */
const HINTS: readonly (readonly [names: RegExp, saysMore: (value: unknown, entries: number) => boolean])[] = [
  [/^(is|has|have|tem|ha|possui|existem?)?(more|mais|next|proxim|seguinte)/, isTrue],
  [/truncad|truncat|^(partial|parcial|incomplet)/, isTrue],
  [/^(is|eh?)?(last|ultim[ao])(page|pagina)?$/, isFalse],
  [PAGES, (value) => numberOf(value) > 1],
  [/^pag(e|ina)count$|^(last|ultima)(page|pagina)$/, (value) => numberOf(value) > 1],
  [new RegExp(TOTAL), (value, entries) => numberOf(value) > entries],
  [/^(odata)?(next|proxim)|(next|proxim[ao]|seguinte)$/, isPresent],
  [/^(?!prev|anterior|start|before).*cursor|continua|^marker$/, isPresent],
  [/^(page|scroll|pagina)(token|id|key|chave)$|^(last|ultima)(evaluated)?(key|chave)$/, isPresent],
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

/** Whether a Link header (RFC 8288) says the same. */
export const linksToMore = (link: string | string[] | undefined): boolean =>
  LINK_TO_NEXT.test([link].flat().join(", ").slice(0, MAX_HEADER_LENGTH));
