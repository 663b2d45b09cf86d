import type { Mechanism } from "kafkajs";
import { messageOf } from "../../runtime/errors.ts";
import { protocolErrorOf } from "../errors.ts";
import { jwtPurpose } from "./jwt-claims.ts";
import { redacted, SignInError } from "./sign-in-error.ts";
import type { TokenSource } from "./token-source.ts";

export type OauthBearerOptions = {
  tokens: Pick<TokenSource, "token" | "refused">;
  /** SASL extensions, sent with the token. */
  extensions: Readonly<Record<string, string>>;
};

const SEPARATOR = "\x01";
const LENGTH_BYTES = 4;

/** A request of SASL as kafkajs wants it: with its length before it. */
const requestOf = (text: string): { encode: () => Buffer } => ({
  encode: () => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  },
});

/** The first message of RFC 7628, without an identity to act for. */
const firstMessage = (token: string, extensions: Readonly<Record<string, string>>): string =>
  [
    "n,,",
    `auth=Bearer ${token}`,
    ...Object.entries(extensions).map(([name, value]) => `${name}=${value}`),
    "",
    "",
  ].join(SEPARATOR);

/** The broker's answer: empty when the token is good, else a challenge. */
const answer = {
  decode: (bytes: Buffer): Buffer => bytes.subarray(LENGTH_BYTES),
  parse: (bytes: Buffer): string => bytes.toString("utf8"),
};

/** What a challenge says. Brokers build the JSON by hand, and with a quote in its text it is none. */
const statusOf = (challenge: string): string => {
  try {
    const { status } = JSON.parse(challenge) as { status?: unknown };
    return typeof status === "string" ? status : challenge;
  } catch {
    return challenge;
  }
};

/**
 * SASL/OAUTHBEARER. kafkajs's own asks for no answer: it takes a challenge, which the broker sends without an error code, for success, and
 * the next request is cut off without a reason.
 */
export const oauthBearer = ({ tokens, extensions }: OauthBearerOptions): Mechanism => ({
  mechanism: "oauthbearer",
  authenticationProvider: ({ host, port, saslAuthenticate }) => ({
    authenticate: async () => {
      const token = await tokens.token();
      const refused = (why: string): SignInError => {
        tokens.refused(token);
        const purpose = jwtPurpose(token);
        const what = `the broker ${host}:${port} refused the token: ${redacted(statusOf(why), [token])}`;
        return new SignInError(
          purpose === "" ? what : `${what} (the token says: ${redacted(purpose, [token])})`,
        );
      };
      const challenge = await saslAuthenticate({
        request: requestOf(firstMessage(token, extensions)),
        response: answer,
      }).catch((error: unknown) => {
        throw protocolErrorOf(error) === "SASL_AUTHENTICATION_FAILED" ? refused(messageOf(error)) : error;
      });
      if (!challenge) return;
      // The client ends a refused exchange with this one byte. The broker then logs it and closes the connection, which could not be used any more.
      void saslAuthenticate({ request: requestOf(SEPARATOR) }).catch(() => undefined);
      throw refused(challenge);
    },
  }),
});
