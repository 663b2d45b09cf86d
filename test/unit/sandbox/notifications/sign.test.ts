import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { signatureHeaders } from "../../../../src/sandbox/notifications/sign.ts";

const body = '{"transactionId":"tx-1"}';
const message = { id: "msg-1", body, sentAt: 1_700_000_000_999, forged: false };
const signing = { secret: "s3cret", header: "X-Signature", prefix: "" };

test("header: the secret itself", () => {
  expect(signatureHeaders({ ...signing, scheme: "header" }, message)).toEqual({ "X-Signature": "s3cret" });
});

test("hmac-hex and hmac-base64: SHA-256 over the body, behind the prefix", () => {
  // Computed once with `printf '{"transactionId":"tx-1"}' | openssl dgst -sha256 -hmac s3cret`.
  const hex = "ea5056cbfedc122ff3ec9ccb5c274b5d6698a45f2d9eb9387bd4ab914822d0b5";
  expect(signatureHeaders({ ...signing, scheme: "hmac-hex", prefix: "sha256=" }, message)).toEqual({
    "X-Signature": `sha256=${hex}`,
  });
  expect(signatureHeaders({ ...signing, scheme: "hmac-base64" }, message)).toEqual({
    "X-Signature": Buffer.from(hex, "hex").toString("base64"),
  });
});

test("standard-webhooks: id, time in seconds and body, signed with the decoded secret", () => {
  const key = Buffer.from("a key of some length");
  const headers = signatureHeaders(
    { ...signing, scheme: "standard-webhooks", secret: `whsec_${key.toString("base64")}` },
    message,
  );
  const expected = createHmac("sha256", key).update(`msg-1.1700000000.${body}`).digest("base64");
  expect(headers).toEqual({
    "webhook-id": "msg-1",
    "webhook-timestamp": "1700000000",
    "webhook-signature": `v1,${expected}`,
  });
});

test.each(["header", "hmac-hex", "hmac-base64", "standard-webhooks"] as const)(
  "%s: forged is another signature",
  (scheme) => {
    expect(signatureHeaders({ ...signing, scheme }, { ...message, forged: true })).not.toEqual(
      signatureHeaders({ ...signing, scheme }, message),
    );
  },
);
