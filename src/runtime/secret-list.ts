/** Splits a comma-separated list of secrets. A setting holds several while they rotate. */
export const secretsIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
