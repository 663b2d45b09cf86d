import { rmSync } from "node:fs";
import { format, inspect } from "node:util";
import { expect, test, vi } from "vitest";
import { Secret } from "../../../src/config/secret.ts";
import { fakeTime } from "../../support/fake-time.ts";
import { configOf, rewritten } from "./environment.ts";

const texts = ["access-token-text", "x-token-text", "webhook-secret-text", "sasl-text", "registry-text"];

test("however a configuration is printed, no secret shows", () => {
  const { put } = rewritten();
  const config = configOf({
    KAFKA_TLS: "true",
    KAFKA_SASL_MECHANISM: "plain",
    KAFKA_SASL_USERNAME: "user",
    KAFKA_SASL_PASSWORD: "sasl-text",
    SCHEMA_REGISTRY_URL: "https://registry.example",
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

test("a file is read without its final line break, and nothing else is trimmed", () => {
  const { put } = rewritten();
  expect(Secret.fromFile(put("text\n")).reveal()).toBe("text");
  expect(Secret.fromFile(put("text\r\n")).reveal()).toBe("text");
  expect(Secret.fromFile(put(" text \n\n")).reveal()).toBe(" text \n");
});

/** Each reading is a second after the one before. */
let nowMs = 1_000_000_000;
/** What counts has been found twice. */
const reloadTwice = (secret: Secret | undefined): void => {
  secret?.reload((nowMs += 1_000));
  secret?.reload((nowMs += 1_000));
};

test("two readings in half a second do not make what is half written the secret", () => {
  const { put } = rewritten();
  const secret = Secret.fromFile(put("old"));
  put("half");
  for (const ms of [0, 0, 1, 499]) secret.reload(nowMs + ms);
  expect(secret.reveal()).toBe("old");
  put("half and half");
  secret.reload(nowMs + 500);
  secret.reload(nowMs + 999);
  expect(secret.reveal()).toBe("old");
  secret.reload(nowMs + 1_000);
  expect(secret.reveal()).toBe("half and half");
});

test("a file that is watched is read again each second, and a new text counts when it has stood for two reads", () => {
  const { put } = rewritten();
  fakeTime();
  const secret = Secret.fromFile(put("old"));
  const end = secret.watch("VARIABLE", { warn: () => undefined });
  for (const part of ["n", "newer", "newer-secret"]) {
    put(part);
    vi.advanceTimersByTime(1_000);
    expect(secret.reveal(), "written bit by bit").toBe("old");
  }
  vi.advanceTimersByTime(1_000);
  expect(secret.reveal()).toBe("newer-secret");
  end();
  put("newest");
  vi.advanceTimersByTime(5_000);
  expect(secret.reveal()).toBe("newer-secret");
});

test("a text that cannot be used is said once, and again after one that can", () => {
  const { put } = rewritten();
  const said: unknown[] = [];
  const file = put("old");
  const secret = Secret.fromFile(file, (text) => {
    if (text.startsWith("odd")) throw new Error(`is ${text.length} long`);
  });
  secret.watch("VARIABLE", { warn: (fields) => said.push(fields) })();
  const then = (text: string): void => {
    put(text);
    for (let times = 0; times < 4; times++) secret.reload((nowMs += 1_000));
  };
  then("odd");
  expect(said).toEqual([{ variable: "VARIABLE", reason: "is 3 long" }]);
  then("new");
  then("odd");
  rmSync(file);
  reloadTwice(secret);
  expect(said.slice(1)).toEqual(
    ["is 3 long", `names a file that cannot be read (ENOENT): ${file}`].map((reason) => ({
      variable: "VARIABLE",
      reason,
    })),
  );
  expect(secret.reveal()).toBe("new");
});

test("after changes, the last three texts that were replaced are known, the latest first", () => {
  const { put } = rewritten();
  const secret = Secret.fromFile(put("first"));
  expect(secret.replaced()).toEqual([]);
  const change = (text: string): readonly string[] => {
    put(text);
    reloadTwice(secret);
    return secret.replaced();
  };
  expect(change("first")).toEqual([]);
  expect(change("second")).toEqual(["first"]);
  for (const text of ["third", "fourth", "fifth"]) change(text);
  expect(secret.replaced()).toEqual(["fourth", "third", "second"]);
  expect(change("fourth"), "the current one is none").toEqual(["fifth", "third", "second"]);
  expect(new Secret("text").replaced()).toEqual([]);
});

test.each([
  ["WEBHOOK_SECRET", "old", ["", "\n", " \t\n \n"], "new"],
  ["PARTNER_ACCESS_TOKEN", "old", ["new\n\n", "two\nlines", "nul\u0000"], "new"],
  ["PARTNER_PROXY_URL", "http://user:pw@proxy:1", ["http://user:p%4", "http:"], "http://proxy:2"],
])("%s: a file that cannot be used now leaves the last text", (variable, first, odd, next) => {
  const { put } = rewritten();
  const file = put(first);
  const { webhook, partner } = configOf({ [variable]: undefined, [`${variable}_FILE`]: file });
  const secrets: Record<string, Secret | undefined> = {
    WEBHOOK_SECRET: webhook.secret,
    PARTNER_ACCESS_TOKEN: partner.accessToken,
    PARTNER_PROXY_URL: partner.proxyUrl,
  };
  const secret = secrets[variable];
  for (const text of odd) {
    put(text);
    reloadTwice(secret);
    expect(secret?.reveal(), text).toBe(first);
  }
  rmSync(file);
  reloadTwice(secret);
  expect(secret?.reveal(), "no file").toBe(first);
  put(next);
  reloadTwice(secret);
  expect(secret?.reveal()).toBe(next);
});
