import { distance } from "fastest-levenshtein";
import type { Log } from "../runtime/log.ts";
import type { Config, Loaded, SettingProblem, Purpose } from "./config.ts";
import { webhookSecretWarning } from "./own-secrets.ts";
import { brokenRules } from "./rules.ts";
import { Secret } from "./secret.ts";
import type { Need, Setting } from "./setting.ts";
import { rows } from "./settings.ts";
import { FLOWS } from "./settings/bridge.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type Origin = "environment" | "file" | "default" | "not set";

/** Text within quotes, as an env file has it; some programs that read one hand the quotes on. */
const isQuoted = (text: string): boolean => /^(["']).*\1$/s.test(text.trim());
const IN_QUOTES = "stands in quotes, which are taken for a part of it: leave them out";

/** An empty variable counts as not set: compose files and charts pass empty ones on. */
const valueOf = (env: Environment, name: string): string | undefined =>
  env[name] === "" ? undefined : env[name];

const readSecret = ({ env: name, check, read }: Setting<unknown>, env: Environment): unknown => {
  const fileVariable = `${name}_FILE`;
  const file = valueOf(env, fileVariable);
  const text = valueOf(env, name);
  if (file === undefined) {
    if (text !== undefined) check?.(text);
    return text === undefined ? undefined : read(text);
  }
  if (text !== undefined) throw new Error(`is set together with ${fileVariable}: set one of them`);
  try {
    return Secret.fromFile(file, (content) => {
      if (content.trim() === "") throw new Error("is empty");
      check?.(content);
    });
  } catch (cause) {
    throw new Error(`comes from ${fileVariable}, which ${(cause as Error).message}`, { cause });
  }
};

const readRow = (row: Setting<unknown>, env: Environment): unknown => {
  if (row.secret) return readSecret(row, env);
  const text = valueOf(env, row.env) ?? row.fallback;
  return text === null ? undefined : row.read(text);
};

const needsOf = (purpose: Purpose, flows: Config["bridge"]["flows"]): readonly Need[] =>
  ({
    serve: ["kafka", "serve", ...flows] as const,
    tool: ["kafka"] as const,
    partner: ["partner"] as const,
    reconcile: ["kafka", "partner", "reconcile"] as const,
    console: ["kafka", "console"] as const,
  })[purpose];

/** An unknown variable with one of these prefixes is most likely a misspelt setting: a problem. */
const OWN_PREFIX = /^(PARTNER|WEBHOOK|COMMANDS|RECONCILE|CONSOLE|TOPIC)_/;
/** Other software uses these prefixes too: only a warning. */
const SHARED_PREFIX = /^(KAFKA|SCHEMA_REGISTRY|MANAGEMENT)_/;
/** Kubernetes injects such variables for a service whose name has a prefix like ours. */
const INJECTED = /(_SERVICE_HOST|_SERVICE_PORT(_.*)?|_PORT|_PORT_\d+_.*)$/;

const VARIABLES = rows.flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env]));

const unknownVariables = (env: Environment, prefix: RegExp): SettingProblem[] =>
  Object.keys(env)
    .filter((name) => prefix.test(name) && !VARIABLES.includes(name) && !INJECTED.test(name))
    .map((variable) => {
      const nearest = VARIABLES.reduce((best, name) =>
        distance(variable, name) < distance(variable, best) ? name : best,
      );
      return { variable, message: `is not a setting of cambio-bridge: did you mean ${nearest}?` };
    });

export const originOf = ({ env: name, secret, fallback }: Setting<unknown>, env: Environment): Origin => {
  if (valueOf(env, name) !== undefined) return "environment";
  if (secret && valueOf(env, `${name}_FILE`) !== undefined) return "file";
  return fallback === null ? "not set" : "default";
};

/** Platforms set these for every program, whether it understands them or not. */
const isForAll = ({ variable }: SettingProblem): boolean => variable.startsWith("OTEL_");

export type ReadSettings = ReturnType<typeof readEnvironment>;

/** Reads the valid part of the environment. Reports every problem, and repeats no secret. */
export const readEnvironment = (env: Environment, purpose: Purpose) => {
  const problems: SettingProblem[] = [];
  const warnings = unknownVariables(env, SHARED_PREFIX);
  const values: Record<string, Record<string, unknown>> = {};
  for (const row of rows) {
    const group = (values[row.group] ??= {});
    try {
      group[row.key] = readRow(row, env);
    } catch (error) {
      problems.push({ variable: row.env, message: (error as Error).message });
    }
    const value = group[row.key];
    if (isQuoted(value instanceof Secret ? value.reveal() : (env[row.env] ?? "")))
      warnings.push({ variable: row.env, message: IN_QUOTES });
  }

  const broken = new Set(problems.map(({ variable }) => variable));
  const config = values as Config;
  const needs = needsOf(purpose, broken.has("FLOWS") ? FLOWS : config.bridge.flows);
  for (const { env: variable, group, key, need, help } of rows) {
    if (values[group]?.[key] !== undefined || broken.has(variable)) continue;
    const reasons = needs.filter((each) => need.includes(each));
    const flow = FLOWS.find((each) => reasons.includes(each));
    const why = flow === undefined ? "" : `, which the ${flow} flow needs`;
    if (reasons.length > 0) problems.push({ variable, message: `is not set${why}: ${help}` });
  }
  problems.push(...unknownVariables(env, OWN_PREFIX), ...brokenRules(config, needs, broken));

  const { auth, secret } = config.webhook;
  const warning = needs.includes("webhooks") && secret ? webhookSecretWarning(auth, secret.reveal()) : null;
  if (warning !== null) warnings.push({ variable: "WEBHOOK_SECRET", message: warning });

  for (const { env: variable, group, key, fallback, read } of rows)
    if (broken.has(variable) && fallback !== null) (values[group] ??= {})[key] = read(fallback);
  for (const group of Object.values(values)) Object.freeze(group);
  for (const { variable, message } of problems.filter(isForAll))
    warnings.push({ variable, message: `is left out: it ${message}` });
  return {
    /** An invalid value is replaced by its default, or by undefined if it has none, whatever the type says. */
    config: Object.freeze(config),
    problems: problems.filter((problem) => !isForAll(problem)),
    warnings,
    /** The variables of the warnings that are left out. */
    leftOut: problems.filter(isForAll).map(({ variable }) => variable),
  };
};

export const loadConfig = (env: Environment, purpose: Purpose): Loaded => {
  const { config, problems, warnings } = readEnvironment(env, purpose);
  return problems.length > 0 ? { ok: false, problems, warnings } : { ok: true, config, warnings };
};

/** Watches the files of all secrets. @returns a function that stops it */
export const watchSecrets = (config: Config, log: Pick<Log, "warn">): (() => void) => {
  const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = config;
  const ends = rows.flatMap(({ env, group, key }) => {
    const value = groups[group]?.[key];
    return value instanceof Secret ? value.watch(env, log) : [];
  });
  return () => ends.forEach((end) => end());
};
