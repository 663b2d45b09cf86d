import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Command } from "commander";
import type { Config, SettingProblem, Purpose } from "../config/config.ts";
import { loadConfig, type Environment } from "../config/load.ts";
import { systemClock } from "../runtime/clock.ts";
import { UsageError } from "../runtime/errors.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import type { ProcessEnds } from "../runtime/log.ts";

/** What a command may use of its process. `out` and `err` write a line to standard output and error. */
export type Io = {
  env: Environment;
  out: (line: string) => void;
  /** Writes bytes to standard output, and waits for room for more. When nobody reads, rejects and aborts `stopped`. */
  write: (bytes: Uint8Array) => Promise<void>;
  err: (line: string) => void;
  stopped: AbortSignal;
  ends: ProcessEnds;
  exit: (code: ExitCode) => void;
};

/** A command of this program. An example, which stands below the options in its help, may go on in further lines. */
export const newCommand = (name: string, description: string, ...examples: readonly string[]): Command => {
  const lines = examples.map((example) => `  $ cambio-bridge ${example}`);
  return new Command(name)
    .description(description)
    .addHelpText("after", ["\nExamples:", ...lines].join("\n"));
};

/** The version in package.json, which lies beside src and dist alike. */
export const versionOf = (): string => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
};

export const EXIT = { done: 0, failed: 1, usage: 2, notDone: 3, inDoubt: 4, noResult: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export class ConfigError extends UsageError {}

export const problemsError = (problems: readonly SettingProblem[]): ConfigError => {
  const lines = problems.map(({ variable, message }) => `  ${variable} ${message}`);
  const count = lines.length === 1 ? "a problem" : `${lines.length} problems`;
  return new ConfigError(`The configuration has ${count}:\n${lines.join("\n")}`);
};

export const configOf = ({ env, err }: Io, purpose: Purpose): Config => {
  const loaded = loadConfig(env, purpose);
  // Before the problems: a variable that is not known may be the one that is missing.
  for (const { variable, message } of loaded.warnings) err(`Warning: ${variable} ${message}`);
  if (!loaded.ok) throw problemsError(loaded.problems);
  return loaded.config;
};

export const untilAborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};

/** A reader that stands still does not keep the process from being ended. */
export const printLines = async ({ write, stopped }: Io, lines: readonly string[]): Promise<void> => {
  const text = lines.map((line) => `${escapeInvisible(line)}\n`).join("");
  await Promise.race([write(Buffer.from(text)), untilAborted(stopped)]);
  stopped.throwIfAborted();
};

export type Row = Readonly<Record<string, unknown>>;

/** Shows the values of an object only, so that it fits into a line. */
const cellOf = (value: unknown): string => {
  if (value === null || value === "" || value === undefined) return "-";
  if (typeof value === "object") return Object.values(value).map(cellOf).join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
};

export const lineOf = (row: Row, columns: readonly string[]): string =>
  columns.map((name) => cellOf(row[name])).join("  ");

/** Prints a line for each row: all of it as JSON, or these columns, whose names go to standard error. */
export const printRows = async (
  io: Io,
  rows: Iterable<Row>,
  { json = false, columns }: { json?: boolean | undefined; columns: readonly string[] },
): Promise<void> => {
  let hasHead = json;
  for (const row of rows) {
    if (!hasHead) io.err(columns.join("  "));
    hasHead = true;
    await printLines(io, [json ? JSON.stringify(row) : lineOf(row, columns)]);
  }
};

/** For commands that change something: says at once what an interrupt does. */
export const sayWhenStopped = ({ stopped, err }: Io): void =>
  void untilAborted(stopped).then(() =>
    err("Stopping. What is being written is finished first. A second signal ends this command at once."),
  );

const PROGRESS_EVERY_MS = 2_000;
/** Fewer records are read at once. */
const LEAST_RECORDS = 1_000;

export const sayProgress = ({ err }: Io): ((progress: { read: number; total: number }) => void) => {
  let lastMs = systemClock.monotonic();
  return ({ read, total }) => {
    if (total < LEAST_RECORDS || systemClock.monotonic() - lastMs < PROGRESS_EVERY_MS) return;
    lastMs = systemClock.monotonic();
    err(`${read} of ${total} records are read.`);
  };
};
