import type { Config, Problem, Purpose } from "../config/config.ts";
import { loadConfig, type Environment } from "../config/load.ts";
import { UsageError } from "../runtime/errors.ts";
import type { ProcessEnds } from "../runtime/log.ts";

/** What a command may use of its process. `out` and `err` write a line to standard output and error. */
export type Io = ProcessEnds & {
  env: Environment;
  out: (line: string) => void;
  /** Writes bytes to standard output. Resolves when there is room for more; when nobody reads, rejects and aborts `stopped`. */
  write: (bytes: Uint8Array) => Promise<void>;
  err: (line: string) => void;
  /** Aborts when the process is asked to end. */
  stopped: AbortSignal;
};

/** 0 done, 1 failed, 2 wrong usage or configuration; `send --wait` and `resolve` have further ones. */
export type ExitCode = number;

export const EXIT = { done: 0, failed: 1, usage: 2, notDone: 3, inDoubt: 4, noResult: 5 } as const;

/** The environment cannot be used; the message lists every problem. */
export class ConfigError extends UsageError {}

export const problemsError = (problems: readonly Problem[]): ConfigError => {
  const lines = problems.map(({ variable, message }) => `  ${variable} ${message}`);
  const count = lines.length === 1 ? "a problem" : `${lines.length} problems`;
  return new ConfigError(`The configuration has ${count}:\n${lines.join("\n")}`);
};

/** Reads the configuration, or throws with every problem at once. */
export const configOf = ({ env, err }: Io, purpose: Purpose): Config => {
  const loaded = loadConfig(env, purpose);
  // Before the problems: a variable that is not known may be the one that is missing.
  for (const { variable, message } of loaded.warnings) err(`Warning: ${variable} ${message}`);
  if (!loaded.ok) throw problemsError(loaded.problems);
  return loaded.config;
};
