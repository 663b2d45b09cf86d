import { expect, it } from "vitest";
import { oauthBearer } from "../../../../src/kafka/sign-in/oauth-bearer.ts";
import { redacted, SignInError } from "../../../../src/kafka/sign-in/sign-in-error.ts";
import { mskIam } from "../../../../src/kafka/sign-in/msk-iam.ts";
import { tokenFile } from "../../../../src/kafka/sign-in/token-source.ts";
import { UsageError } from "../../../../src/runtime/errors.ts";

type Arguments = Parameters<ReturnType<typeof oauthBearer>["authenticationProvider"]>[0];

const withLength = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
};

/** Authenticates at a broker with this first answer; gives what was sent to it. */
const signIn = async (first: string | Error, extensions = {}) => {
  const sent: string[] = [];
  const refused: string[] = [];
  const { authenticationProvider } = oauthBearer({
    tokens: { token: () => Promise.resolve("my-token"), refused: (token) => void refused.push(token) },
    extensions,
  });
  const saslAuthenticate = async ({ request, response }: Parameters<Arguments["saslAuthenticate"]>[0]) => {
    sent.push((await request.encode()).toString());
    if (sent.length > 1) throw new Error("the broker has closed the connection");
    if (first instanceof Error) throw first;
    return response?.parse(await response.decode(withLength(first)));
  };
  const connection = { host: "broker", port: 9092, saslAuthenticate } as unknown as Arguments;
  const authenticator = authenticationProvider(connection);
  const error: unknown = await authenticator.authenticate().catch((thrown: unknown) => thrown);
  return { sent, refused, error: error as Error | undefined };
};

it("sends token and extensions as RFC 7628 says", async () => {
  const { sent, error, refused } = await signIn("", { logicalCluster: "lkc-1", pool: "p 2" });
  expect(error).toBeUndefined();
  expect(refused).toEqual([]);
  const message = "n,,\x01auth=Bearer my-token\x01logicalCluster=lkc-1\x01pool=p 2\x01\x01";
  expect(sent).toEqual([withLength(message).toString()]);
});

it.each([
  ["JSON", '{"status":"invalid_token","scope":"x"}', "invalid_token"],
  [
    "JSON built by hand",
    '{"status":"claims {"aud":"x"} of my-token"}',
    '{"status":"claims {"aud":"x"} of [secret]"}',
  ],
  ["a signed token in it", '{"status":"bad eyJhbGci.eyJz.c2ln now"}', "bad [secret] now"],
])("a challenge is a refusal: %s", async (_, challenge, said) => {
  const { sent, refused, error } = await signIn(challenge);
  expect(error).toBeInstanceOf(SignInError);
  expect(error?.message).toBe(`the broker broker:9092 refused the token: ${said}`);
  expect(refused).toEqual(["my-token"]);
  expect(sent[1], "ends the exchange, so that the broker closes the connection").toBe(
    withLength("\x01").toString(),
  );
});

it("reports a refusal by error code too, and passes other errors on", async () => {
  const byCode = Object.assign(new Error("no such my-token"), { type: "SASL_AUTHENTICATION_FAILED" });
  expect((await signIn(byCode)).error?.message).toBe(
    "the broker broker:9092 refused the token: no such [secret]",
  );
  const other = new Error("cut off");
  expect((await signIn(other)).error).toBe(other);
});

it("text of others is bounded and has no control characters", () => {
  expect(redacted(`a\n\u001b[31mb${"c".repeat(1_000)}`, [])).toMatch(/^a \[31mbc{393}$/);
});

const jwt = (claims: object): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sig`;

it("a token from a file is given until its expiry", async () => {
  let text = "opaque\n";
  const source = tokenFile(() => text, { now: () => 1_000_000 });
  expect(await source.token()).toBe("opaque");
  text = jwt({ exp: 1_001 });
  expect(await source.token()).toBe(text);
  text = jwt({ exp: 1_000 });
  await expect(source.token()).rejects.toThrow(
    "the token in KAFKA_OAUTH_TOKEN_FILE expired at 1970-01-01T00:16:40.000Z and was not renewed",
  );
});

it("MSK's signer is called with the region", async () => {
  const regions: string[] = [];
  const signer = mskIam("sa-east-1", { now: () => 1_000 }, () => ({
    generateAuthToken: ({ region }) => {
      regions.push(region);
      return Promise.resolve({ token: "signed", expiryTime: 901_000 });
    },
  }));
  expect(await signer.fetch()).toEqual({ token: "signed", lifetimeMs: 900_000 });
  expect(regions).toEqual(["sa-east-1"]);
});

it.each([
  ["a secret key", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"],
  ["a session token", `FwoGZXIvYXdzE${"Aa0+/".repeat(60)}==`],
  [
    "a token for MSK",
    Buffer.from("https://kafka.sa-east-1.amazonaws.com/?X-Amz-Signature=1").toString("base64url"),
  ],
])("what MSK's signer says is told without %s", async (_, secret) => {
  const signer = mskIam("sa-east-1", { now: () => 0 }, () => ({
    generateAuthToken: () =>
      Promise.reject(new Error(`no credentials (${secret}) for arn:aws:iam::1:role/bridge`)),
  }));
  await expect(signer.fetch()).rejects.toThrow(
    /^no credentials \(\[secret\]\) for arn:aws:iam::1:role\/bridge$/,
  );
});

it("when MSK's signer is missing, the error is one sentence", () => {
  expect(() => mskIam("sa-east-1", { now: () => 0 })).toThrow(UsageError);
  expect(() => mskIam("sa-east-1", { now: () => 0 })).toThrow("npm install aws-msk-iam-sasl-signer-js");
});
