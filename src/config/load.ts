import type { Log } from "../runtime/log.ts";
import type { Config, Loaded, Problem, Purpose } from "./config.ts";
import { whyUnreadable } from "./file-name.ts";
import { unknownVariables } from "./unknown-variables.ts";
import { brokenRules } from "./rules.ts";
import { readList } from "./kinds.ts";
import { Secret } from "./secret.ts";
import type { Need, Setting } from "./setting.ts";
import { settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type Row = Setting<unknown> & { group: string; key: string };

/** Where a setting's value comes from. */
export type Origin = "environment" | "file" | "default" | "not set";

/** The settings of an environment, with what is wrong with them. */
export type Reading = {
  /** An invalid value is replaced by its default, or by undefined if it has none, whatever the type says. */
  config: Config;
  problems: readonly Problem[];
  warnings: readonly Problem[];
};

/** Every setting, with the group and key of its value in {@link Config}. */
export const rows: readonly Row[] = Object.entries(settings).flatMap(([group, members]) =>
  Object.entries(members as Record<string, Setting<unknown>>).map(([key, setting]) => ({
    ...setting,
    group,
    key,
  })),
);

/** Text within quotes, as an env file has it; some programs that read one hand the quotes on. */
const isQuoted = (text: string): boolean => /^(["']).*\1$/s.test(text.trim());
const IN_QUOTES = "stands in quotes, which are taken for a part of it: leave them out";

/** How a warning of a variable of OpenTelemetry begins whose value is not used. */
export const LEFT_OUT = "is left out: it";

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An empty variable counts as not set: compose files and charts pass empty ones on. */
const valueOf = (env: Environment, name: string): string | undefined => {
  const value = env[name];
  return value === undefined || value === "" ? undefined : value;
};

const readSecret = (row: Row, env: Environment): unknown => {
  const fileVariable = `${row.env}_FILE`;
  const file = valueOf(env, fileVariable);
  const text = valueOf(env, row.env);
  if (file === undefined) {
    if (text !== undefined) row.check?.(text);
    return text === undefined ? undefined : row.read(text);
  }
  if (text !== undefined) throw new Error(`is set together with ${fileVariable}: set one of them`);
  const check = (read: string): void => {
    if (read.trim() === "") throw new Error(`is empty in the file that ${fileVariable} names`);
    row.check?.(read);
  };
  try {
    return Secret.fromFile(file, check);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const why = whyUnreadable(file, error);
    throw new Error(`cannot be read from the file that ${fileVariable} names (${why})`, { cause: error });
  }
};

const readRow = (row: Row, env: Environment): unknown => {
  if (row.secret) return readSecret(row, env);
  const text = valueOf(env, row.env) ?? row.fallback;
  return text === null ? undefined : row.read(text);
};

type Flow = Config["bridge"]["flows"][number];

/**
 * The flows that a wrong FLOWS names all the same, the default ones if it names none: what these lack is
 * reported at once, too.
 */
const flowsIn = (text: string): readonly Flow[] => {
  const { read, fallback } = settings.bridge.flows;
  const named = readList(text).flatMap((name) => {
    try {
      return read(name);
    } catch {
      return [];
    }
  });
  return named.length > 0 || fallback === null ? named : read(fallback);
};

const needsOf = (purpose: Purpose, flows: readonly Flow[]): readonly Need[] =>
  ({
    serve: ["kafka", "serve", ...flows] as const,
    tool: ["kafka"] as const,
    partner: ["partner"] as const,
    reconcile: ["kafka", "partner", "reconcile"] as const,
    console: ["kafka", "console"] as const,
  })[purpose];

const neededByText = (row: Row, needs: readonly Need[], flows: readonly Flow[]): string => {
  const flow = flows.find((name) => row.need.includes(name) && needs.includes(name));
  return flow === undefined ? "" : `, which the ${flow} flow needs`;
};

/** Node.js's own switch, which every connection obeys. */
const unverified = (env: Environment): Problem[] =>
  env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0"
    ? [
        {
          variable: "NODE_TLS_REJECT_UNAUTHORIZED",
          message:
            "is 0: no certificate is verified, so that anybody on the way can read and change everything",
        },
      ]
    : [];

/** Where the value of a setting comes from, whether it is valid or not. */
export const originOf = ({ env: name, secret, fallback }: Setting<unknown>, env: Environment): Origin => {
  if (valueOf(env, name) !== undefined) return "environment";
  if (secret && valueOf(env, `${name}_FILE`) !== undefined) return "file";
  return fallback === null ? "not set" : "default";
};

/**
 * Reads the environment, the valid part of it. Reports every problem, not only the first, and repeats no
 * secret.
 * @param purpose decides which settings are required
 */
export const readEnvironment = (env: Environment, purpose: Purpose): Reading => {
  const problems: Problem[] = [];
  const quoted: Problem[] = [];
  const values: Record<string, Record<string, unknown>> = {};
  for (const row of rows) {
    const group = (values[row.group] ??= {});
    const given = valueOf(env, row.env) ?? (row.secret ? valueOf(env, `${row.env}_FILE`) : undefined) ?? "";
    try {
      const value = (group[row.key] = readRow(row, env));
      if (isQuoted(value instanceof Secret ? value.reveal() : given))
        quoted.push({ variable: row.env, message: IN_QUOTES });
    } catch (error) {
      const message = reason(error);
      problems.push({
        variable: row.env,
        message: isQuoted(given) ? `${message}; it ${IN_QUOTES}` : message,
      });
    }
  }

  const broken = new Set(problems.map((problem) => problem.variable));
  const readFlows = values["bridge"]?.["flows"] as readonly Flow[] | undefined;
  const flows = readFlows ?? flowsIn(env[settings.bridge.flows.env] ?? "");
  const needs = needsOf(purpose, flows);
  for (const row of rows) {
    const missing = values[row.group]?.[row.key] === undefined && !broken.has(row.env);
    if (missing && needs.some((need) => row.need.includes(need))) {
      problems.push({
        variable: row.env,
        message: `is not set${neededByText(row, needs, flows)}: ${row.help}`,
      });
    }
  }

  const { refused, warned } = unknownVariables(Object.keys(env), rows);
  problems.push(...refused);
  const config = values as Config;
  problems.push(...brokenRules(config, needs, broken));
  for (const { env: variable, group, key, fallback, read } of rows)
    if (broken.has(variable) && fallback !== null) (values[group] ??= {})[key] = read(fallback);
  for (const group of Object.values(values)) Object.freeze(group);
  // Platforms set these for every program, whether it understands them or not.
  const isForAll = ({ variable }: Problem): boolean => variable.startsWith("OTEL_");
  const leftOut = problems
    .filter(isForAll)
    .map(({ variable, message }) => ({ variable, message: `${LEFT_OUT} ${message}` }));
  return {
    config: Object.freeze(config),
    problems: problems.filter((problem) => !isForAll(problem)),
    warnings: [...unverified(env), ...warned, ...quoted, ...leftOut],
  };
};

/** Reads the environment; any problem fails it. See {@link readEnvironment}. */
export const loadConfig = (env: Environment, purpose: Purpose): Loaded => {
  const { config, problems, warnings } = readEnvironment(env, purpose);
  return problems.length > 0 ? { ok: false, problems, warnings } : { ok: true, config, warnings };
};

/** Watches the files of all secrets. @returns ends that */
export const watchSecrets = (config: Config, log: Pick<Log, "warn">): (() => void) => {
  const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = config;
  const ends = rows.flatMap(({ env, group, key }) => {
    const value = groups[group]?.[key];
    return value instanceof Secret ? value.watch(env, log) : [];
  });
  return () => ends.forEach((end) => end());
};
