import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format, inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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
    KAFKA_TLS: "true",
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

test("a file is read without its final line break, and nothing else is trimmed", () => {
  expect(Secret.fromFile(put("text\n")).reveal()).toBe("text");
  expect(Secret.fromFile(put("text\r\n")).reveal()).toBe("text");
  expect(Secret.fromFile(put(" text \n\n")).reveal()).toBe(" text \n");
});

/** What counts has been found twice. */
const reloadTwice = (secret: Secret | undefined): void => {
  secret?.reload();
  secret?.reload();
};

test("a file that is watched is read again each second, and a new text counts when it has stood for two reads", () => {
  vi.useFakeTimers({ now: Date.now() });
  const secret = Secret.fromFile(put("old"));
  const end = secret.watch("VARIABLE", { warn: () => undefined });
  put("newer");
  for (const expected of ["old", "newer"]) {
    vi.advanceTimersByTime(1_000);
    expect(secret.reveal()).toBe(expected);
  }
  end();
  put("newest");
  vi.advanceTimersByTime(5_000);
  expect(secret.reveal()).toBe("newer");
});

test("what is written bit by bit counts only when it is complete", () => {
  const secret = Secret.fromFile(put("old"));
  for (const part of ["n", "new", "new-sec", "new-secret"]) {
    put(part);
    secret.reload();
    expect(secret.reveal(), part).toBe("old");
  }
  secret.reload();
  expect(secret.reveal()).toBe("new-secret");
  expect(secret.replaced()).toEqual(["old"]);
});

test("a text that cannot be used is said once, and again after one that can", () => {
  const said: unknown[] = [];
  const file = put("old");
  const secret = Secret.fromFile(file, (text) => {
    if (text.startsWith("odd")) throw new Error(`is ${text.length} long`);
  });
  secret.watch("VARIABLE", { warn: (fields) => said.push(fields) })();
  const then = (text: string): void => {
    put(text);
    for (let times = 0; times < 4; times++) secret.reload();
  };
  then("odd");
  expect(said).toEqual([{ variable: "VARIABLE", reason: "is 3 long" }]);
  then("new");
  then("odd");
  rmSync(file);
  reloadTwice(secret);
  expect(said.slice(1)).toEqual(
    ["is 3 long", "cannot be read (ENOENT)"].map((reason) => ({ variable: "VARIABLE", reason })),
  );
  expect(secret.reveal()).toBe("new");
});

test("a reload checks at once, and twice finds a file that was replaced by one of the same size", () => {
  const file = put("first");
  const secret = Secret.fromFile(file);
  writeFileSync(join(folder, "next"), "other");
  renameSync(join(folder, "next"), file);
  reloadTwice(secret);
  expect(secret.reveal()).toBe("other");
});

test("after changes, the last three texts that were replaced are known, the latest first", () => {
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
  expect(Secret.of("text").replaced()).toEqual([]);
});

test("while a file is missing, the last text is kept", () => {
  const file = put("text");
  const secret = Secret.fromFile(file);
  rmSync(file);
  reloadTwice(secret);
  expect(secret.reveal()).toBe("text");
  put("text of tomorrow");
  reloadTwice(secret);
  expect(secret.reveal()).toBe("text of tomorrow");
});

describe("a file that is read while it is being written", () => {
  /** Writes twice within one tick of the file system's clock. */
  const putAt = (text: string, at: Date): void => utimesSync(put(text), at, at);
  const secretOf = (env: Record<string, string | undefined>) => {
    const { webhook, partner } = configOf(env);
    return { webhook: webhook.secret, token: partner.accessToken, proxy: partner.proxyUrl };
  };

  test.each(["", "\n", "\r\n", " \t\n \n"])(
    "and holds %j, holds no secret: the last one stands",
    (nothing) => {
      const file = put("old");
      const { webhook } = secretOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: file });
      const at = statSync(file).mtime;
      putAt(nothing, at);
      reloadTwice(webhook);
      expect(webhook?.reveal()).toBe("old");
      putAt("new", at);
      reloadTwice(webhook);
      expect(webhook?.reveal(), "it is looked at again, whatever its time says").toBe("new");
    },
  );

  test("and holds half of a token, holds none", () => {
    const { token } = secretOf({ PARTNER_ACCESS_TOKEN: undefined, PARTNER_ACCESS_TOKEN_FILE: put("old") });
    for (const odd of ["new\n\n", "two\nlines", "nul\u0000"]) {
      put(odd);
      reloadTwice(token);
      expect(token?.reveal()).toBe("old");
    }
    put("new\n");
    reloadTwice(token);
    expect(token?.reveal()).toBe("new");
  });

  test("and holds half of a proxy's address, holds none", () => {
    const { proxy } = secretOf({ PARTNER_PROXY_URL_FILE: put("http://user:pw@proxy:3128") });
    for (const odd of ["http://user:p%4", "http://user:p%@proxy:3128", "http:"]) {
      put(odd);
      reloadTwice(proxy);
      expect(proxy?.reveal()).toBe("http://user:pw@proxy:3128");
    }
  });

  test("is read again although neither its mtime nor its size has changed", () => {
    const now = new Date();
    putAt("first", now);
    const secret = Secret.fromFile(join(folder, "secret"));
    putAt("other", now);
    reloadTwice(secret);
    expect(secret.reveal()).toBe("other");
  });

  test("is not read again once it has been unchanged for a while", () => {
    const long = new Date(Date.now() - 60_000);
    const file = put("text");
    utimesSync(file, long, long);
    let reads = 0;
    const secret = Secret.fromFile(file, () => (reads += 1));
    reloadTwice(secret);
    reloadTwice(secret);
    expect(reads).toBe(1);
  });
});

test("a secret that does not come from a file stays as it is", () => {
  const secret = Secret.of("text");
  reloadTwice(secret);
  expect(secret.reveal()).toBe("text");
});

test("a secret's file must be there and hold something", () => {
  const from = (file: string) => problemsOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: file });
  expect(from(join(folder, "missing"))).toEqual([
    "WEBHOOK_SECRET cannot be read from the file that WEBHOOK_SECRET_FILE names (ENOENT)",
  ]);
  expect(from(put("\n"))).toEqual(["WEBHOOK_SECRET is empty in the file that WEBHOOK_SECRET_FILE names"]);
  expect(from(put(" \n"))).toEqual(["WEBHOOK_SECRET is empty in the file that WEBHOOK_SECRET_FILE names"]);
  expect(from(put("text"))).toEqual([]);
});
