import type { Config, Problem } from "./config.ts";

/** A rule between settings. */
export type Rule = (config: Config) => readonly Problem[];

export const when = (condition: boolean, variable: string, message: string): Problem[] =>
  condition ? [{ variable, message }] : [];

/** A value that could not be read is absent, and has been reported already. */
export const wasRead = <Group extends object>(group: Group, ...keys: readonly (keyof Group)[]): boolean =>
  keys.every((key) => key in group);
