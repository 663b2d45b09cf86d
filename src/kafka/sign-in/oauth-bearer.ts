import type { Mechanism } from "kafkajs";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json.ts";
import { protocolErrorOf } from "../errors.ts";
import { redacted, SignInError } from "./sign-in-error.ts";
import type { TokenSource } from "./token-source.ts";

export type OauthBearerOptions = {
  tokens: Pick<TokenSource, "token" | "refused">;
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
const firstMessage = (token: string, extensions: OauthBearerOptions["extensions"]): string => {
  const pairs = Object.entries(extensions).map(([name, value]) => `${name}=${value}`);
  return ["n,,", `auth=Bearer ${token}`, ...pairs, "", ""].join(SEPARATOR);
};

/** The broker's answer: empty when the token is good, else a challenge. */
const saslResponse = {
  decode: (bytes: Buffer): Buffer => bytes.subarray(LENGTH_BYTES),
  parse: (bytes: Buffer): string => bytes.toString("utf8"),
};

/** A broker refuses a token by a challenge without an error code, which kafkajs's own mechanism takes for success. */
export const oauthBearer = ({ tokens, extensions }: OauthBearerOptions): Mechanism => ({
  mechanism: "oauthbearer",
  authenticationProvider: ({ host, port, saslAuthenticate }) => ({
    authenticate: async () => {
      const token = await tokens.token();
      const refused = (why: string): SignInError => {
        tokens.refused(token);
        return new SignInError(`the broker ${host}:${port} refused the token: ${redacted(why, [token])}`);
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
      const status = objectOf(parseJson(challenge))?.["status"];
      // Some brokers do not escape quotes in the JSON of a challenge.
      throw refused(typeof status === "string" ? status : challenge);
    },
  }),
});
