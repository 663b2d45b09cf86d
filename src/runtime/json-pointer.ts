/** The member names of a JSON pointer (RFC 6901), unescaped. */
export const pointerNames = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
