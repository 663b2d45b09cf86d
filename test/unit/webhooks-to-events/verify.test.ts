import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { RequestHead } from "../../../src/webhooks-to-events/signatures.ts";
import type { VerificationOptions } from "../../../src/webhooks-to-events/verify.ts";
import { verificationOf } from "./reception.ts";

const NOW_MS = 1_795_262_400_500;
type Delivery = RequestHead & { body: Buffer };
const body = Buffer.from('{"transactionId":"tx-1","status":"CANCELED","note":"\u00e9"}');
const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
  pathToken: null,
  headers: {},
  body,
  peerAddress: "192.0.2.1",
  receivedAt: NOW_MS,
  ...changes,
});
/** The answer, and what it is known by: a refusal by the head is one before the body is read. */
const judge = (verify: ReturnType<typeof verificationOf>, { body: sent, ...head }: Delivery) => {
  const verdict = verify(head);
  if (verdict.kind === "refused") return { status: verdict.status, by: "head" };
  const refusal = verdict.refusalOf(sent);
  return { status: refusal?.status ?? 200, by: "body" };
};
type Options = Partial<VerificationOptions>;
const verifier = (options: Options, secrets: readonly string[]) => {
  const verify = verificationOf({ ...options, secrets: () => secrets });
  return (changes: Partial<Delivery>) => judge(verify, delivery(changes)).status;
};

describe("path-token", () => {
  const answer = verifier({ auth: "path-token" }, ["old", "caf\u00e9/ 1"]);
  test.each([
    ["old", 200],
    ["caf%C3%A9%2F%201", 200],
    ["caf%c3%a9/%201", 200],
    ["ol", 404],
    ["older", 404],
    ["OLD", 404],
    ["", 404],
    [null, 404],
    ["%", 404],
    ["%zz%00", 404],
    ["x".repeat(100_000), 404],
  ])("%.30s: %i", (pathToken, status) => {
    expect(answer({ pathToken })).toBe(status);
  });
});

describe("header", () => {
  const answer = verifier({ auth: "header", signatureHeader: "X-Secret" }, ["new", "s\u00e9cret"]);
  test("any of the secrets opens, in its UTF-8 bytes", () => {
    expect(answer({ headers: { "x-secret": "new" } })).toBe(200);
    expect(answer({ headers: { "x-secret": Buffer.from("s\u00e9cret").toString("latin1") } })).toBe(200);
  });
  test.each(["", "ne", "new, new", "news", "s\u00e9cret"])("%j does not", (value) => {
    expect(answer({ headers: { "x-secret": value } })).toBe(401);
  });
  test("a missing or repeated header does not", () => {
    expect(answer({})).toBe(401);
    expect(answer({ headers: { "x-secret": ["new", "new"] } })).toBe(401);
  });
});

test("an empty secret lets nobody in", () => {
  expect(verifier({ auth: "header", signatureHeader: "x" }, [""])({ headers: { x: "" } })).toBe(401);
  expect(verifier({ auth: "path-token" }, [""])({ pathToken: "" })).toBe(404);
  expect(
    verifier(
      { auth: "hmac", signatureHeader: "x", signaturePrefix: "" },
      [],
    )({ headers: { x: "0".repeat(64) } }),
  ).toBe(401);
});

describe("hmac", () => {
  const hmac = (secret: string, over = body) => createHmac("sha256", secret).update(over);
  const answer = verifier({ auth: "hmac", signatureHeader: "X-Signature", signaturePrefix: "" }, [
    "k1",
    "k2",
  ]);
  const signed = (value: string) => ({ headers: { "x-signature": value } });

  test.each(["k1", "k2"])("hex and base64 by %s pass", (secret) => {
    expect(answer(signed(hmac(secret).digest("hex")))).toBe(200);
    expect(answer(signed(hmac(secret).digest("hex").toUpperCase()))).toBe(200);
    expect(answer(signed(hmac(secret).digest("base64")))).toBe(200);
    expect(answer(signed(hmac(secret).digest("base64url")))).toBe(200);
  });
  test("everything else does not", () => {
    const good = hmac("k1").digest("hex");
    const refused = ["", "k1", good.slice(1), `${good}0`, `sha256=${good}`, `${good.slice(0, 63)}g`];
    refused.push(hmac("k3").digest("hex"), hmac("k1", Buffer.from("other")).digest("hex"), "=".repeat(44));
    for (const value of refused) expect(answer(signed(value)), value).toBe(401);
    expect(answer({})).toBe(401);
  });
  test("of several, as a list or in repeated headers, one right one is enough", () => {
    const [good, other] = [hmac("k2").digest("hex"), hmac("k3").digest("base64")];
    for (const list of [
      `${other}, ${good}`,
      `${good},${other}`,
      `${good} , x`,
      `x, ,${good},`,
      `${good}, ${good}`,
    ])
      expect(answer(signed(list)), list).toBe(200);
    for (const list of [`${other}, ${other}`, `${good.slice(1)},${good}0`, `${good} ${other}`, ",", ", ,"])
      expect(answer(signed(list)), list).toBe(401);
  });
  test("of several with a prefix, only those with that prefix count, which may hold a comma", () => {
    const good = hmac("k1").digest("hex");
    const prefixed = (prefix: string) =>
      verifier({ auth: "hmac", signatureHeader: "X-Signature", signaturePrefix: prefix }, ["k1"]);
    for (const list of [`sha256=${good},sha1=x`, `sha1=x, sha256=${good}`, `sha256=x,sha256=${good}`])
      expect(prefixed("sha256=")(signed(list)), list).toBe(200);
    for (const list of [`sha256=x,${good}`, `sha1=${good}`, `x sha256=${good}`, `xsha256=${good}`])
      expect(prefixed("sha256=")(signed(list)), list).toBe(401);
    for (const list of [`v1,${good}`, `v1, ${good}`, `v1,x, v1,${good}`, `v1,${good},v0,x`])
      expect(prefixed("v1,")(signed(list)), list).toBe(200);
  });
  test("what cannot be a signature is refused before the body is read, a wrong one after it", () => {
    const verify = verificationOf({
      auth: "hmac",
      signatureHeader: "x",
      signaturePrefix: "sha256=",
      secrets: () => ["k1"],
    });
    for (const x of [undefined, "", "sha256=", "sha256=abc", `sha1=${"0".repeat(64)}`])
      expect(judge(verify, delivery({ headers: { x } })), x).toEqual({ status: 401, by: "head" });
    expect(judge(verify, delivery({ headers: { x: `sha256=${"0".repeat(64)}` } }))).toEqual({
      status: 401,
      by: "body",
    });
  });
  test("secrets are asked for each time, so a rotation takes effect at once", () => {
    let secrets = ["before"];
    const verify = verificationOf({
      auth: "hmac",
      signatureHeader: "x",
      signaturePrefix: "",
      secrets: () => secrets,
    });
    const ok = (secret: string) =>
      judge(verify, delivery({ headers: { x: hmac(secret).digest("hex") } })).status === 200;
    expect([ok("before"), ok("after")]).toEqual([true, false]);
    secrets = ["after", "before"];
    expect([ok("before"), ok("after")]).toEqual([true, true]);
    secrets = ["after"];
    expect([ok("before"), ok("after")]).toEqual([false, true]);
  });
});

describe("standard-webhooks", () => {
  const key = Buffer.from("0123456789abcdef0123456789abcdef");
  const secret = `whsec_${key.toString("base64")}`;
  const seconds = Math.floor(NOW_MS / 1000);
  const sign = (id: string, timestamp: string, by = key) =>
    `v1,${createHmac("sha256", by).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  const headers = (changes: Record<string, string> = {}, timestamp = String(seconds), id = "msg_1") => ({
    headers: {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": sign(id, timestamp),
      ...changes,
    },
  });
  const answer = verifier({ auth: "standard-webhooks" }, ["whsec_b3RoZXI=", secret]);

  test("the example of the standard's own libraries passes", () => {
    const verify = verificationOf({
      auth: "standard-webhooks",
      secrets: () => ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    });
    const example = delivery({
      headers: {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
      body: Buffer.from('{"test": 2432232314}'),
      receivedAt: 1_614_265_330_000,
    });
    expect(judge(verify, example).status).toBe(200);
  });
  test("one good signature among several passes", () => {
    expect(answer(headers())).toBe(200);
    const good = headers().headers["webhook-signature"];
    expect(answer(headers({ "webhook-signature": `v1a,AAAA v2,xx v1,${"A".repeat(43)}= ${good}` }))).toBe(
      200,
    );
  });
  test("what is old or malformed is refused before the body is read, a wrong signature after it", () => {
    const verify = verificationOf({ auth: "standard-webhooks", secrets: () => [secret] });
    const byHead = [{}, headers({}, String(seconds - 301)), headers({ "webhook-signature": "v1,AAAA" })];
    for (const changes of byHead)
      expect(judge(verify, delivery(changes))).toEqual({ status: 401, by: "head" });
    expect(judge(verify, delivery({ ...headers(), body: Buffer.from("{}") }))).toEqual({
      status: 401,
      by: "body",
    });
  });
  test.each([
    [-300, 200],
    [300, 200],
    [-301, 401],
    [301, 401],
  ])("a clock %i s away: %i", (skew, status) => {
    expect(answer(headers({}, String(seconds + skew)))).toBe(status);
  });
  test.each(["", "abc", "-1", "1e9", `${seconds}.0`, `${seconds} `, "9".repeat(400)])(
    "timestamp %.20j: 401",
    (timestamp) => {
      expect(answer(headers({}, timestamp))).toBe(401);
    },
  );
  test("anything else does not pass", () => {
    const good = headers().headers["webhook-signature"];
    expect(answer(headers({ "webhook-id": "msg_2" }))).toBe(401);
    expect(answer(headers({ "webhook-timestamp": String(seconds + 1) }))).toBe(401);
    expect(answer({ ...headers(), body: Buffer.from("{}") })).toBe(401);
    for (const list of [
      "",
      "v1,",
      good.slice(3),
      good.replace("v1,", "v1a,"),
      good.replace("v1,", "v1="),
      `${good}x`,
    ])
      expect(answer(headers({ "webhook-signature": list })), list).toBe(401);
    expect(answer({})).toBe(401);
  });
});

describe("addresses", () => {
  const from = (trustedProxyCidrs: string[], auth: Options["auth"] = "none") =>
    verifier({ auth, allowedCidrs: ["203.0.113.0/24", "2001:db8::/32"], trustedProxyCidrs }, ["s"]);
  const forwarded = (value: string, peerAddress = "10.0.0.1") => ({
    peerAddress,
    headers: { "x-forwarded-for": value },
  });

  test("without proxies the peer's address counts, and X-Forwarded-For does not", () => {
    const answer = from([]);
    expect(answer({ peerAddress: "203.0.113.7" })).toBe(200);
    expect(answer({ peerAddress: "::ffff:203.0.113.7" })).toBe(200);
    expect(answer({ peerAddress: "" })).toBe(401);
    expect(answer(forwarded("203.0.113.7"))).toBe(401);
    expect(answer(forwarded("198.51.100.1", "203.0.113.7"))).toBe(200);
  });
  test.each([
    ["203.0.113.7", 200],
    ["198.51.100.1, 203.0.113.7", 200],
    ["203.0.113.7, 198.51.100.1", 401],
    ["203.0.113.7, 10.0.0.9,10.0.0.8", 200],
    ["203.0.113.7:4711", 200],
    ["[2001:db8::1]:443", 200],
    ["2001:db8::1", 200],
    ["203.0.113.7, unknown", 401],
    ["203.0.113.7,", 401],
    ["", 401],
    ["10.0.0.9", 401],
  ])("behind a trusted proxy, X-Forwarded-For: %s: %i", (value, status) => {
    expect(from(["10.0.0.0/8"])(forwarded(value))).toBe(status);
    expect(from(["10.0.0.0/8"])(forwarded(value, "::ffff:10.0.0.1"))).toBe(status);
  });
  test("a trusted proxy that names nobody stands for itself", () => {
    expect(from(["203.0.113.0/30"])({ peerAddress: "203.0.113.1" })).toBe(200);
    expect(from(["10.0.0.0/8"])({ peerAddress: "10.0.0.1" })).toBe(401);
  });
  test("a foreign address is not told whether its token was right", () => {
    const answer = from([], "path-token");
    expect(answer({ pathToken: "s", peerAddress: "198.51.100.1" })).toBe(401);
    expect(answer({ pathToken: "t", peerAddress: "198.51.100.1" })).toBe(401);
    expect(answer({ pathToken: "t", peerAddress: "203.0.113.7" })).toBe(404);
  });
});
