import type { Command } from "commander";
import { originOf, readEnvironment, type Environment } from "../config/load.ts";
import { isFileName, pathIn } from "../config/named-file.ts";
import { rows } from "../config/settings.ts";
import { EXIT, newCommand, type Io } from "./io.ts";

/** The same text for every secret, so that neither its length nor a part of it shows. */
const HIDDEN = "***";

const settingsOf = (env: Environment, broken: readonly string[]) =>
  rows.map((row) => {
    const origin = originOf(row, env);
    const isBroken = broken.includes(row.env);
    // A value that cannot be used may be a password, set by mistake.
    const envText = origin === "environment" && !isBroken ? (env[row.env] ?? null) : null;
    // A query may contain a key.
    const text = row.shape === "address" ? (envText?.replace(/\?.*/, `?${HIDDEN}`) ?? null) : envText;
    const shown = row.env.endsWith("_FILE") && text !== null && !isFileName(text) ? HIDDEN : text;
    const value = origin === "default" ? row.fallback : shown;
    const file = origin === "file" ? (env[`${row.env}_FILE`] ?? "") : null;
    const isSet = origin === "environment" || origin === "file";
    return {
      group: row.group,
      name: row.env,
      value: row.secret && isSet && !isBroken ? HIDDEN : value,
      origin,
      from: isBroken && file !== null ? pathIn(file) : file,
    };
  });

const printText = (settings: ReturnType<typeof settingsOf>, io: Io): void => {
  let shownGroup = "";
  for (const { group, name, value, origin, from } of settings) {
    if (group !== shownGroup) io.out(group);
    shownGroup = group;
    const missing = origin === "not set" ? "-" : "(cannot be used, see below)";
    const text = value === "" ? "(empty)" : (value ?? missing);
    io.out(`  ${name}  ${text}  ${origin}${from === null ? "" : ` ${from}`}`);
  }
};

const showConfig = (io: Io, { json = false }: { json?: boolean }): void => {
  const { problems, warnings, leftOut } = readEnvironment(io.env, "serve");
  const settings = settingsOf(io.env, [...problems.map(({ variable }) => variable), ...leftOut]);
  if (json) io.out(JSON.stringify({ ok: problems.length === 0, settings, problems, warnings }, null, 2));
  else {
    printText(settings, io);
    if (problems.length + warnings.length > 0) io.out("");
    for (const { variable, message } of problems) io.out(`Problem: ${variable} ${message}`);
    for (const { variable, message } of warnings) io.out(`Warning: ${variable} ${message}`);
  }
  if (problems.length > 0) io.exit(EXIT.usage);
};

export const configCommand = (io: Io): Command =>
  newCommand("config", "Show the settings in force, and what is wrong with them.", "config", "config --json")
    .option("--json", "print one JSON object")
    .action((flags: { json?: boolean }) => showConfig(io, flags));
