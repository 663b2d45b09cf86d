import type { Config, Purpose } from "../config/config.ts";
import { loadConfig, type Environment } from "../config/load.ts";
import { UsageError } from "../runtime/errors.ts";

/** Everything that a command knows of the process it runs in. */
export type Io = {
  env: Environment;
  out: (line: string) => void;
  /** Writes bytes to where lines go as well. Resolves when there is room for more; rejects when nobody reads them, and aborts `stopped` then. */
  write: (bytes: Uint8Array) => Promise<void>;
  err: (line: string) => void;
  /** Aborts when the process is asked to end. */
  stopped: AbortSignal;
};

/** 0 done, 1 failed, 2 wrong usage or configuration; further ones are the command's own. */
export type ExitCode = number;

export const EXIT = { done: 0, failed: 1, usage: 2, notDone: 3, inDoubt: 4, noResult: 5 } as const;

/** The environment cannot be used. The message lists everything that is wrong with it. */
export class ConfigError extends UsageError {}

/** Reads the configuration, or throws with every problem at once. */
export const configOf = ({ env, err }: Io, purpose: Purpose): Config => {
  const loaded = loadConfig(env, purpose);
  if (!loaded.ok) {
    const lines = loaded.problems.map(({ variable, message }) => `  ${variable} ${message}`);
    const count = lines.length === 1 ? "a problem" : `${lines.length} problems`;
    throw new ConfigError(`The configuration has ${count}:\n${lines.join("\n")}`);
  }
  for (const { variable, message } of loaded.warnings) err(`Warning: ${variable} ${message}`);
  return loaded.config;
};
