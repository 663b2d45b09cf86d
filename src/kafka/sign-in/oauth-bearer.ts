import type { Mechanism } from "kafkajs";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import { protocolErrorOf } from "../errors.ts";
import { redacted, SignInError } from "./sign-in-error.ts";
import type { TokenSource } from "./token-source.ts";

export type OauthBearerOptions = {
  tokens: Pick<TokenSource, "token" | "refused">;
  /** SASL extensions, sent with the token. */
  extensions: Readonly<Record<string, string>>;
};

const SEPARATOR = "\x01";
const LENGTH_BYTES = 4;

/** A SASL request as kafkajs expects it: prefixed with its length. */
const saslRequest = (text: string): { encode: () => Buffer } => ({
  encode: () => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  },
});

/** The initial client response of RFC 7628, without an authorization identity. */
const firstMessage = (token: string, extensions: Readonly<Record<string, string>>): string =>
  [
    "n,,",
    `auth=Bearer ${token}`,
    ...Object.entries(extensions).map(([name, value]) => `${name}=${value}`),
    "",
    "",
  ].join(SEPARATOR);

/** The broker's answer: empty when the token is good, else a challenge. */
const saslResponse = {
  decode: (bytes: Buffer): Buffer => bytes.subarray(LENGTH_BYTES),
  parse: (bytes: Buffer): string => bytes.toString("utf8"),
};

/** The status in a challenge; all of it where brokers do not escape quotes in its JSON. */
const statusOf = (challenge: string): string => {
  const status = objectOf(parseJson(challenge))?.status;
  return typeof status === "string" ? status : challenge;
};

/**
 * SASL/OAUTHBEARER. A broker refuses a token by a challenge without an error code, which kafkajs's own mechanism takes
 * for success: its next request fails with a closed connection and no reason.
 */
export const oauthBearer = ({ tokens, extensions }: OauthBearerOptions): Mechanism => ({
  mechanism: "oauthbearer",
  authenticationProvider: ({ host, port, saslAuthenticate }) => ({
    authenticate: async () => {
      const token = await tokens.token();
      const refused = (why: string): SignInError => {
        tokens.refused(token);
        const status = redacted(statusOf(why), [token]);
        return new SignInError(`the broker ${host}:${port} refused the token: ${status}`);
      };
      const challenge = await saslAuthenticate({
        request: saslRequest(firstMessage(token, extensions)),
        response: saslResponse,
      }).catch((error: unknown) => {
        throw protocolErrorOf(error) === "SASL_AUTHENTICATION_FAILED" ? refused(messageOf(error)) : error;
      });
      if (!challenge) return;
      // RFC 7628: the client ends a refused exchange with this byte; the broker then closes the connection.
      void saslAuthenticate({ request: saslRequest(SEPARATOR) }).catch(() => undefined);
      throw refused(challenge);
    },
  }),
});
