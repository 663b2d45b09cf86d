import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { maskOwnSecrets } from "../../../src/config/own-secrets.ts";
import { configOf } from "./environment.ts";

const settings = {
  WEBHOOK_AUTH: "path-token",
  WEBHOOK_SECRET: "new-token/é,old-token",
  PARTNER_ACCESS_TOKEN: "access-token",
  PARTNER_X_TOKEN: "x-token",
  PARTNER_PROXY_URL: "http://user:pass%2Fword@127.0.0.1:1",
};

test.each([
  ["as it is", '"https://x/hooks/old-token"', '"https://x/hooks/***"'],
  ["with slashes escaped", String.raw`"https:\/\/x\/new-token\/é"`, String.raw`"https:\/\/x\/***"`],
  ["percent-encoded", '"/new-token%2F%C3%A9"', '"/***"'],
  ["in JSON of pure ASCII", String.raw`"new-token/\u00e9"`, '"***"'],
  ["a partner's token", '"Bearer access-token", "x-token"', '"Bearer ***", "***"'],
  ["the proxy's password", '"pass/word"', '"***"'],
])("masks a secret %s", (_, text, masked) => {
  expect(maskOwnSecrets(configOf(settings))(`{"url":${text},"n":1}`)).toBe(`{"url":${masked},"n":1}`);
});

test("leaves a text without one as it is", () => {
  const mask = maskOwnSecrets(configOf(settings));
  for (const text of [
    '{"transactionId":"t","at":"2026-11-21T12:00:00+00:00"}',
    '{"é":"\\u00e9 100%"}',
    "token",
  ])
    expect(mask(text)).toBe(text);
  expect(maskOwnSecrets(configOf({ WEBHOOK_AUTH: "none", WEBHOOK_SECRET: undefined }))("anything")).toBe(
    "anything",
  );
});

test("masks the new secret from its rotation on, and goes on to mask the one before", () => {
  const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-own-secrets-"));
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, "secret");
  const put = (text: string): void => {
    writeFileSync(file, text);
    vi.setSystemTime(Date.now() + 10_000);
  };
  put("before-it");
  const config = configOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: file });
  const mask = maskOwnSecrets(config);
  expect(mask("before-it after-it")).toBe("*** after-it");
  put("after-it");
  // A new text counts when two looks have found it.
  config.webhook.secret?.reload(1_000_000_000);
  config.webhook.secret?.reload(2_000_000_000);
  expect(mask("before-it after-it")).toBe("*** ***");
});
