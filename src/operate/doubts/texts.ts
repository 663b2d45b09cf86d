import { quoteKey } from "../../commands-to-results/quote-key.ts";
import { elements, members, stringOf } from "../../runtime/json.ts";

/** A text or a number in a JSON text, as written, and the pointer to it. */
type JsonText = { pointer: string; text: string };

const MAX_DEPTH = 8;

/** The texts and the numbers in a JSON text, eight levels deep: each level is read once more. */
const textsIn = (source: string, pointer = "", depth = MAX_DEPTH): JsonText[] => {
  const first = source.trimStart()[0] ?? "";
  if (first === '"') return [{ pointer, text: stringOf(source) }];
  if (first === "-" || (first >= "0" && first <= "9")) return [{ pointer, text: source }];
  if (depth === 0) return [];
  const parts =
    first === "{"
      ? (members(source) ?? []).map(({ key, raw }) => [key, raw] as const)
      : (elements(source) ?? []).map((raw, index) => [String(index), raw] as const);
  return parts.flatMap(([name, raw]) =>
    textsIn(raw, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth - 1),
  );
};

type Named = { quoteId: string | null; externalId: string | null };

/** Cheap, and equal for nearly all spellings of a quoteId that the journal takes for one. */
const roughly = (text: string): string => text.toLowerCase().replace(/[^0-9a-z]/g, "");

/** Finds which of these doubts a JSON text names, by the quoteId in any spelling or by the externalId. */
export const namesOf = <Doubt extends Named>(doubts: readonly Doubt[]) => {
  const quotes = Map.groupBy(
    doubts.filter(({ quoteId }) => quoteId !== null),
    ({ quoteId }) => roughly(quoteId ?? ""),
  );
  const externals = Map.groupBy(
    doubts.filter(({ externalId }) => externalId !== null && externalId !== ""),
    ({ externalId }) => externalId,
  );
  return (source: string): (JsonText & { doubt: Doubt })[] =>
    textsIn(source).flatMap((one) => {
      const ofQuote = (quotes.get(roughly(one.text)) ?? []).filter(
        ({ quoteId }) => quoteKey(quoteId ?? "") === quoteKey(one.text),
      );
      const doubtsOfText = new Set([...ofQuote, ...(externals.get(one.text) ?? [])]);
      return [...doubtsOfText].map((doubt) => ({ ...one, doubt }));
    });
};
