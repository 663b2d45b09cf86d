import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { webhookSecrets } from "../../../src/config/own-secrets.ts";
import { watchSecrets } from "../../../src/config/load.ts";
import { fakeTime } from "../../support/fake-time.ts";
import { configOf } from "../config/environment.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cambio-bridge-secrets-"));
  fakeTime();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const put = (text: string): string => {
  const file = join(folder, "secret");
  writeFileSync(file, text);
  vi.advanceTimersByTime(2_000);
  return file;
};
const secretsFrom = (file: string, auth: string, warn: () => void = () => undefined) => {
  const config = configOf({
    WEBHOOK_AUTH: auth,
    WEBHOOK_SECRET: undefined,
    WEBHOOK_SECRET_FILE: file,
    WEBHOOK_SIGNATURE_HEADER: "x-signature",
  });
  onTestFinished(watchSecrets(config, { warn }));
  return webhookSecrets(config);
};
const key = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

test.each([
  ["hmac", "old", ["", "\n", ",", " ,, \n"], 2],
  ["path-token", "old", ["", ",", "..", "new\nnewer"], 4],
  ["header", "old", ["", ",", "new\nnewer"], 3],
  ["standard-webhooks", key, ["", ",", "whsec_", "no base64!", `${key},whsec_!`], 3],
])("%s: what cannot be used leaves the last secrets, and is said", (auth, first, odd, reasons) => {
  let said = 0;
  const secrets = secretsFrom(put(first), auth, () => (said += 1));
  expect(secrets()).toEqual([first]);
  for (const text of odd) {
    put(text);
    expect(secrets(), JSON.stringify(text)).toEqual([first]);
    secrets();
  }
  expect(said, "once each").toBe(reasons);
  const next = `whsec_${Buffer.alloc(24, 8).toString("base64")}`;
  put(`${next}, ${first}\n`);
  expect(secrets()).toEqual([next, first]);
});

test("the list is the same one for as long as the file is", () => {
  const secrets = secretsFrom(put("one,two"), "hmac");
  const list = secrets();
  put("one,two");
  expect(secrets()).toBe(list);
});

test("a file that cannot be used at all any more stops the start", () => {
  const file = put("good");
  const config = configOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: file });
  config.webhook.secret?.reload(1_000_000_000);
  put("..");
  config.webhook.secret?.reload(2_000_000_000);
  config.webhook.secret?.reload(3_000_000_000);
  expect(() => webhookSecrets(config)).toThrow(/^WEBHOOK_SECRET holds a secret that cannot be/);
});

test("none wants none", () => {
  expect(webhookSecrets(configOf({ WEBHOOK_AUTH: "none", WEBHOOK_SECRET: undefined }))()).toEqual([]);
});
