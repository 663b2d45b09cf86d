import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Environment } from "../../../src/config/load.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { complete } from "../config/environment.ts";
import { runCommand } from "./run-command.ts";

type Told = {
  ok: boolean;
  settings: { group: string; name: string; value: string | null; origin: string; from: string | null }[];
  problems: { variable: string; message: string }[];
};

const told = async (env: Environment) => {
  const { code, out, err } = await runCommand(env, ["config", "--json"]);
  const { ok, settings, problems } = JSON.parse(out) as Told;
  return {
    code,
    ok,
    out: out + err,
    problems,
    of: (name: string) => settings.find((each) => each.name === name),
  };
};

test("each setting with its value and where it comes from; of secrets only that they are set", async () => {
  const file = join(temporaryFolder(), "x-token");
  writeFileSync(file, "text-in-a-file");
  const { code, ok, out, of } = await told({
    ...complete,
    PARTNER_X_TOKEN: "",
    PARTNER_X_TOKEN_FILE: file,
    FLOWS: "commands",
  });
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  const flows = { group: "bridge", name: "FLOWS", value: "commands", origin: "environment", from: null };
  expect(of("FLOWS")).toEqual(flows);
  expect(of("COMMANDS_DEADLINE")).toMatchObject({ value: "2m", origin: "default" });
  expect(of("PARTNER_MAX_RPS")).toMatchObject({ value: null, origin: "not set" });
  expect(of("PARTNER_ACCESS_TOKEN")).toMatchObject({ value: "***", origin: "environment" });
  expect(of("PARTNER_X_TOKEN")).toMatchObject({ value: "***", origin: "file", from: file });
  expect(of("KAFKA_SASL_PASSWORD")).toMatchObject({ value: null, origin: "not set" });
  expect(out).not.toMatch(/access-token-text|webhook-secret-text|text-in-a-file/);
});

test("what is wrong is told at the end, with 2, and the rest all the same; what cannot be used is not repeated", async () => {
  const env = {
    ...complete,
    PARTNER_BASE_URL: "https://user:pass-word@partner",
    PARTNER_TOKEN: "a-secret-by-mistake",
    WEBHOOK_PORT: "eighty",
  };
  const { code, ok, out, problems, of } = await told(env);
  expect({ code, ok }).toEqual({ code: 2, ok: false });
  expect(problems.map(({ variable }) => variable).sort()).toEqual([
    "PARTNER_BASE_URL",
    "PARTNER_TOKEN",
    "WEBHOOK_PORT",
  ]);
  expect(of("PARTNER_BASE_URL")).toMatchObject({ value: null, origin: "environment" });
  expect(of("KAFKA_BROKERS")).toMatchObject({ value: "kafka-1:9092" });
  const text = await runCommand(env, ["config"]);
  expect(text.code).toBe(2);
  expect(text.out).toMatch(/^kafka\n {2}KAFKA_BROKERS +kafka-1:9092 +environment$/m);
  expect(text.out).toMatch(/^ {2}PARTNER_ACCESS_TOKEN +\*\*\* +environment$/m);
  expect(text.out).toMatch(
    /^Problem: PARTNER_TOKEN is not a setting of cambio-bridge: did you mean PARTNER_X_TOKEN\?$/m,
  );
  for (const secret of ["pass-word", "a-secret-by-mistake", "access-token-text"])
    expect(out + text.out + text.err).not.toContain(secret);
});

test("an address does not show what may be secret in it", async () => {
  const { of, out } = await told({
    ...complete,
    WEBHOOK_PUBLIC_URL: "https://bridge.example/hooks/webhook-secret-text",
    SCHEMA_REGISTRY_OAUTH: "true",
    KAFKA_OAUTH_TOKEN_ENDPOINT: "https://idp.example/token?key=a-key",
    KAFKA_OAUTH_CLIENT_ID: "bridge",
    KAFKA_OAUTH_CLIENT_SECRET: "client-secret-text",
    KAFKA_ALLOW_PLAINTEXT: "true",
  });
  expect(of("WEBHOOK_PUBLIC_URL")).toMatchObject({ value: null });
  expect(of("KAFKA_OAUTH_TOKEN_ENDPOINT")).toMatchObject({ value: "https://idp.example/token?***" });
  expect(out).not.toMatch(/webhook-secret-text|a-key/);
});
