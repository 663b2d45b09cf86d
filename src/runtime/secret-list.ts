/** The secrets in one text: several, comma-separated, while they rotate. */
export const secretsIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
