import type { Config, Loaded, Problem, Purpose } from "./config.ts";
import { strangers } from "./names.ts";
import { contradictions } from "./rules.ts";
import { Secret } from "./secret.ts";
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type Row = Setting<unknown> & { group: string; key: string };

/** Every row with the place its value has in {@link Config}. */
export const rows: readonly Row[] = Object.entries(settings).flatMap(([group, members]) =>
  Object.entries(members as Record<string, Setting<unknown>>).map(([key, setting]) => ({
    ...setting,
    group,
    key,
  })),
);

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A variable that is set to nothing counts as not set: compose files and charts pass empty ones on. */
const given = (env: Environment, name: string): string | undefined => {
  const value = env[name];
  return value === undefined || value === "" ? undefined : value;
};

const readSecret = (row: Row, env: Environment): unknown => {
  const fileVariable = `${row.env}_FILE`;
  const file = given(env, fileVariable);
  const text = given(env, row.env);
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
    const code = String(error.code);
    throw new Error(`cannot be read from the file that ${fileVariable} names (${code})`, { cause: error });
  }
};

const readRow = (row: Row, env: Environment): unknown => {
  if (row.secret) return readSecret(row, env);
  const text = given(env, row.env) ?? row.fallback;
  return text === null ? undefined : row.read(text);
};

const isNeeded = (row: Row, purpose: Purpose, flows: readonly string[]): boolean => {
  if (row.need === "always") return true;
  if (purpose === "tool" || row.need === "never") return false;
  return row.need === "serve" || flows.includes(row.need);
};

const because = (row: Row): string =>
  row.need === "webhooks" || row.need === "commands" ? `, which the ${row.need} flow needs` : "";

/**
 * Reads the environment. Finds every problem at once rather than the first, and names none of the secrets.
 * @param purpose decides what must be there
 */
export const loadConfig = (env: Environment, purpose: Purpose): Loaded => {
  const problems: Problem[] = [];
  const values: Record<string, Record<string, unknown>> = {};
  for (const row of rows) {
    const group = (values[row.group] ??= {});
    try {
      group[row.key] = readRow(row, env);
    } catch (error) {
      problems.push({ variable: row.env, message: reason(error) });
    }
  }

  const broken = new Set(problems.map((problem) => problem.variable));
  const flows = (values["bridge"]?.["flows"] as readonly string[] | undefined) ?? [];
  for (const row of rows) {
    const missing = values[row.group]?.[row.key] === undefined && !broken.has(row.env);
    if (missing && isNeeded(row, purpose, flows)) {
      problems.push({ variable: row.env, message: `is not set${because(row)}: ${row.help}` });
    }
  }

  const { refused, warned } = strangers(Object.keys(env), rows);
  problems.push(...refused);
  for (const group of Object.values(values)) Object.freeze(group);
  const config = Object.freeze(values) as Config;
  problems.push(
    ...contradictions(config, { purpose, flows }).filter((problem) => !broken.has(problem.variable)),
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config, warnings: warned };
};
