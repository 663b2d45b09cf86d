import { expect } from "vitest";
import { loadConfig, type Environment } from "../../../src/config/load.ts";
import type { Config, Problem, Purpose } from "../../../src/config/config.ts";

/** What `serve` needs with both flows, and nothing more. */
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

/** Every problem with the environment, as `VARIABLE message`. */
export const problemsOf = (over: Environment, purpose: Purpose = "serve"): string[] => {
  const loaded = load(over, purpose);
  return loaded.ok ? [] : loaded.problems.map(said);
};

/** The variables that have a problem. */
export const refused = (over: Environment, purpose: Purpose = "serve"): string[] =>
  problemsOf(over, purpose).map((problem) => problem.split(" ", 1)[0] ?? "");

/** The same, and that a tool refuses the same ones. */
export const refusedByAll = (over: Environment): string[] => {
  expect(problemsOf(over, "tool")).toEqual(problemsOf(over));
  return refused(over);
};

export const warningsOf = (over: Environment, purpose: Purpose = "serve"): string[] => {
  const loaded = load(over, purpose);
  if (!loaded.ok) throw new Error(loaded.problems.map(said).join("\n"));
  return loaded.warnings.map(said);
};

export const configOf = (over: Environment, purpose: Purpose = "serve"): Config => {
  const loaded = load(over, purpose);
  if (!loaded.ok) throw new Error(loaded.problems.map(said).join("\n"));
  return loaded.config;
};

const said = ({ variable, message }: Problem): string => `${variable} ${message}`;
