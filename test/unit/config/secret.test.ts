import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format, inspect } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Secret } from "../../../src/config/secret.ts";
import { configOf, problemsOf } from "./environment.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cambio-bridge-secret-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});
const put = (text: string): string => {
  const file = join(folder, "secret");
  writeFileSync(file, text);
  return file;
};

const texts = ["access-token-text", "x-token-text", "webhook-secret-text", "sasl-text", "registry-text"];

test("however a configuration is printed, no secret shows", () => {
  const config = configOf({
    KAFKA_SASL_MECHANISM: "plain",
    KAFKA_SASL_USERNAME: "user",
    KAFKA_SASL_PASSWORD: "sasl-text",
    SCHEMA_REGISTRY_USERNAME: "user",
    SCHEMA_REGISTRY_PASSWORD_FILE: put("registry-text\n"),
    PARTNER_PROXY_URL: "http://user:proxy-text@proxy:3128",
  });
  expect(config.registry.password?.reveal()).toBe("registry-text");
  const secrets = Object.values(config)
    .flatMap((group) => Object.values(group) as unknown[])
    .filter((value) => value instanceof Secret);
  expect(secrets).toHaveLength(6);
  const printed = [
    JSON.stringify(config),
    inspect(config, { depth: null, showHidden: true }),
    format("%s %o %O %j", config, config, config, config),
    ...secrets.flatMap((secret) => [
      `text: ${String(secret)}`,
      inspect(secret, { customInspect: false, showHidden: true, depth: null }),
      format("%s %o", secret, secret),
      JSON.stringify(Object.entries(secret)),
      new Error(String(secret)).stack,
    ]),
  ].join("\n");
  for (const text of [...texts, "proxy-text"]) expect(printed).not.toContain(text);
  expect(printed).toContain("[secret]");
});

test("a file is read without the line's end, and only that", () => {
  expect(Secret.fromFile(put("text\n")).reveal()).toBe("text");
  expect(Secret.fromFile(put("text\r\n")).reveal()).toBe("text");
  expect(Secret.fromFile(put(" text \n\n")).reveal()).toBe(" text \n");
});

test("a file that changes is read again, at most once a second", () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const secret = Secret.fromFile(put("old"));
  put("newer");
  expect(secret.reveal()).toBe("old");
  vi.setSystemTime(1_000_999);
  expect(secret.reveal()).toBe("old");
  vi.setSystemTime(1_001_000);
  expect(secret.reveal()).toBe("newer");
});

test("a reload looks at once, and finds a file that was swapped for another of the same size", () => {
  const file = put("first");
  const secret = Secret.fromFile(file);
  writeFileSync(join(folder, "next"), "other");
  renameSync(join(folder, "next"), file);
  secret.reload();
  expect(secret.reveal()).toBe("other");
});

test("a file that is gone for a moment leaves the last text", () => {
  const file = put("text");
  const secret = Secret.fromFile(file);
  rmSync(file);
  secret.reload();
  expect(secret.reveal()).toBe("text");
  put("text of tomorrow");
  secret.reload();
  expect(secret.reveal()).toBe("text of tomorrow");
});

test("a secret that does not come from a file stays as it is", () => {
  const secret = Secret.of("text");
  secret.reload();
  expect(secret.reveal()).toBe("text");
});

test("a secret's file must be there and hold something", () => {
  const from = (file: string) => problemsOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: file });
  expect(from(join(folder, "missing"))).toEqual([
    "WEBHOOK_SECRET cannot be read from the file that WEBHOOK_SECRET_FILE names (ENOENT)",
  ]);
  expect(from(put("\n"))).toEqual(["WEBHOOK_SECRET is empty in the file that WEBHOOK_SECRET_FILE names"]);
  expect(from(put("text"))).toEqual([]);
});
