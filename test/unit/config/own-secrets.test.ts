import { expect, onTestFinished, test, vi } from "vitest";
import { watchSecrets } from "../../../src/config/load.ts";
import { maskOwnSecrets, webhookSecrets } from "../../../src/config/own-secrets.ts";
import { fakeTime } from "../../support/fake-time.ts";
import { configOf, rewritten } from "./environment.ts";

const settings = {
  WEBHOOK_AUTH: "path-token",
  WEBHOOK_SECRET: "new-token/é,old-token",
  PARTNER_ACCESS_TOKEN: "access-token",
  PARTNER_X_TOKEN: "x-token",
  PARTNER_PROXY_URL: "http://user:pass%2Fword@127.0.0.1:1",
};

test.each([
  ["as it is", '"https://x/hooks/old-token"', '"https://x/hooks/***"'],
  ["in JSON of pure ASCII", String.raw`"new-token/\u00e9"`, '"***"'],
  ["a partner's token", '"Bearer access-token", "x-token"', '"Bearer ***", "***"'],
  ["the proxy's password", '"pass/word"', '"***"'],
])("masks a secret %s", (_, text, masked) => {
  expect(maskOwnSecrets(configOf(settings))(`{"url":${text},"n":1}`)).toBe(`{"url":${masked},"n":1}`);
});

test.each([
  ["WEBHOOK_SECRET", ["after-it"], "*** ***"],
  ["WEBHOOK_SECRET", ["after-it", "before-it"], "*** ***"],
  ["PARTNER_PROXY_URL", ["after-it"], "http://u:before-it@proxy http://u:***@proxy"],
])(
  "masks each %s from its rotation on, also if nothing was masked meanwhile: %s",
  (variable, secrets, masked) => {
    const { file, put } = rewritten();
    const textOf = (secret: string): string =>
      variable === "WEBHOOK_SECRET" ? secret : `http://u:${secret}@proxy`;
    put(textOf("before-it"));
    const config = configOf({ [variable]: undefined, [`${variable}_FILE`]: file });
    const mask = maskOwnSecrets(config);
    expect(mask("before-it after-it")).toBe("*** after-it");
    for (const [nth, secret] of secrets.entries()) {
      put(textOf(secret));
      // A new text counts when two looks have found it.
      for (const setting of [config.webhook.secret, config.partner.proxyUrl])
        for (const look of [1, 2]) setting?.reload((2 * nth + look) * 1_000_000_000);
    }
    expect(mask(`${textOf("before-it")} ${textOf("after-it")}`)).toBe(masked);
  },
);

const key = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

test.each([
  ["hmac", "old", ["", "\n", ",", " ,, \n"], 2],
  ["path-token", "old", ["", ",", "..", "new\nnewer"], 4],
  ["header", "old", ["", ",", "new\nnewer"], 3],
  ["standard-webhooks", key, ["", ",", "whsec_", "no base64!", `${key},whsec_!`], 3],
])("%s: what cannot be used leaves the last secrets, and is said", (auth, first, odd, reasons) => {
  fakeTime();
  let said = 0;
  const { file, put } = rewritten();
  const change = (text: string): void => {
    put(text);
    vi.advanceTimersByTime(2_000);
  };
  change(first);
  const config = configOf({
    WEBHOOK_AUTH: auth,
    WEBHOOK_SECRET: undefined,
    WEBHOOK_SECRET_FILE: file,
    WEBHOOK_SIGNATURE_HEADER: "x-signature",
  });
  onTestFinished(watchSecrets(config, { warn: () => (said += 1) }));
  const secrets = webhookSecrets(config);
  const list = secrets();
  expect(list).toEqual([first]);
  for (const text of [first, ...odd]) {
    change(text);
    expect(secrets(), JSON.stringify(text)).toBe(list);
  }
  expect(said, "once each").toBe(reasons);
  const next = `whsec_${Buffer.alloc(24, 8).toString("base64")}`;
  change(`${next}, ${first}\n`);
  expect(secrets()).toEqual([next, first]);
});

test("a secret that cannot be used stops the start; none wants none", () => {
  expect(() => webhookSecrets(configOf({ FLOWS: "commands", WEBHOOK_SECRET: ".." }))).toThrow(
    /^WEBHOOK_SECRET holds a secret that cannot be/,
  );
  expect(webhookSecrets(configOf({ WEBHOOK_AUTH: "none", WEBHOOK_SECRET: undefined }))()).toEqual([]);
});
