import { readFileSync } from "node:fs";

/** The package's own; it lies beside src as beside dist. */
export const versionOf = (): string => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
};
