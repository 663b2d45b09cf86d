import type { Log } from "../runtime/log.ts";
import type { Config } from "./config.ts";
import { rows } from "./load.ts";
import { Secret } from "./secret.ts";

/** Watches the files of all secrets. @returns ends that */
export const watchSecrets = (config: Config, log: Pick<Log, "warn">): (() => void) => {
  const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = config;
  const ends = rows.flatMap(({ env, group, key }) => {
    const value = groups[group]?.[key];
    return value instanceof Secret ? value.watch(env, log) : [];
  });
  return () => ends.forEach((end) => end());
};
