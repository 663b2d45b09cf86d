import { isJson } from "./json.ts";

const INDENT = "  ";
/** Deeper levels stay on one line: their indentation would outgrow the text. */
const MAX_DEPTH = 32;

function* tokensOf(text: string): Generator<string> {
  let depth = 0;
  const newLine = (): string => (depth > MAX_DEPTH ? "" : `\n${INDENT.repeat(depth)}`);
  // Strings are one token, so that brackets in them do not count; blanks between tokens are dropped.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/gsu)) {
    if (token === "{" || token === "[") {
      depth++;
      yield token + newLine();
    } else if (token === "}" || token === "]") {
      const isOnItsLine = depth > MAX_DEPTH;
      depth--;
      yield isOnItsLine ? token : newLine() + token;
    } else if (token === ",") yield token + newLine();
    else if (token === ":") yield ": ";
    else yield token.startsWith("{") ? "{}" : token.startsWith("[") ? "[]" : token;
  }
}

/**
 * Indents JSON without parsing it into values, so digits, escapes and repeated names stay as they are. Returns
 * `length` characters from `from`; null for text that is not JSON. `whole`: the length of all of it; null
 * where it goes on after the part.
 */
export const prettyJson = (
  text: string,
  from: number,
  length: number,
): { text: string; whole: number | null } | null => {
  if (!isJson(text)) return null;
  const parts: string[] = [];
  let at = 0;
  for (const token of tokensOf(text)) {
    if (at >= from + length) return { text: parts.join(""), whole: null };
    const part = token.slice(Math.max(0, from - at), from + length - at);
    if (part !== "") parts.push(part);
    at += token.length;
  }
  return { text: parts.join(""), whole: at };
};
