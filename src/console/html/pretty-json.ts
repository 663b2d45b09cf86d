const INDENT = "  ";
/** What lies deeper stays on its line: nobody sees where such a line begins, and the blanks would outgrow the text. */
const MAX_DEPTH = 32;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

function* tokensOf(text: string): Generator<string> {
  let depth = 0;
  const newLine = (): string => (depth > MAX_DEPTH ? "" : `\n${INDENT.repeat(depth)}`);
  // Strings whole, so that what stands in them is none of the signs; blanks between are dropped.
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
 * A part of the same JSON with a line for each member: digits, escapes and repeated names stay as they are. Nothing is made of what comes behind the
 * part, nor kept of what stands before it. Null for what is no JSON. `whole`: how long all of it is; null where it goes on behind the part.
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
