import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { loadConfig, type Environment } from "../../../src/config/load.ts";
import type { Config, SettingProblem, Purpose } from "../../../src/config/config.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What `serve` needs with all flows, and nothing more. */
export const complete: Environment = {
  KAFKA_BROKERS: "kafka-1:9092",
  SCHEMA_REGISTRY_URL: "http://registry:8081",
  PARTNER_BASE_URL: "https://partner.example",
  PARTNER_ACCESS_TOKEN: "access-token-text",
  PARTNER_X_TOKEN: "x-token-text",
  PARTNER_NAME: "acme",
  WEBHOOK_AUTH: "path-token",
  WEBHOOK_SECRET: "webhook-secret-text",
};

export const load = (over: Environment, purpose: Purpose = "serve") =>
  loadConfig({ ...complete, ...over }, purpose);

const said = ({ variable, message }: SettingProblem): string => `${variable} ${message}`;

/** Every problem with the environment, as `VARIABLE message`. */
export const problemsOf = (over: Environment, purpose: Purpose = "serve"): string[] => {
  const loaded = load(over, purpose);
  return loaded.ok ? [] : loaded.problems.map(said);
};

/** The variables that have a problem. */
export const refused = (over: Environment, purpose: Purpose = "serve"): string[] =>
  problemsOf(over, purpose).map((problem) => problem.split(" ", 1)[0] ?? "");

const loadedOf = (over: Environment, purpose: Purpose) => {
  const loaded = load(over, purpose);
  if (!loaded.ok) throw new Error(loaded.problems.map(said).join("\n"));
  return loaded;
};

export const warningsOf = (over: Environment, purpose: Purpose = "serve"): string[] =>
  loadedOf(over, purpose).warnings.map(said);

export const configOf = (over: Environment, purpose: Purpose = "serve"): Config =>
  loadedOf(over, purpose).config;

/** A file that is written again and again, in a folder that is removed with the test. */
export const rewritten = (): { file: string; put: (text: string) => string } => {
  const file = join(temporaryFolder(), "secret");
  const put = (text: string): string => {
    writeFileSync(file, text);
    return file;
  };
  return { file, put };
};

/** Files in a folder that is removed after the tests of the file. */
export const files = () => {
  const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-config-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let count = 0;
  return {
    folder,
    fileWith: (text: string | Buffer): string => {
      const file = join(folder, `file-${++count}`);
      writeFileSync(file, text);
      return file;
    },
  };
};
