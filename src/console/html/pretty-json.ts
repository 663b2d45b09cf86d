const INDENT = "  ";
/** Deeper than this nobody sees where a line begins, and the blanks would outgrow the text. */
const MAX_INDENT = 40;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The same JSON with a line for each member: digits, escapes and repeated names stay as they are. Null for what is no JSON. */
export const prettyJson = (text: string): string | null => {
  if (!isJson(text)) return null;
  let depth = 0;
  const newLine = (): string => `\n${INDENT.repeat(Math.min(depth, MAX_INDENT))}`;
  const parts: string[] = [];
  // Strings whole, so that what stands in them is none of the signs; blanks between are dropped.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/gsu)) {
    if (token === "{" || token === "[") {
      depth++;
      parts.push(token, newLine());
    } else if (token === "}" || token === "]") {
      depth--;
      parts.push(newLine(), token);
    } else if (token === ",") parts.push(token, newLine());
    else if (token === ":") parts.push(": ");
    else parts.push(token.startsWith("{") ? "{}" : token.startsWith("[") ? "[]" : token);
  }
  return parts.join("");
};
