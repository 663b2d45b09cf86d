import { objectOf, parseJson, type Json } from "../../runtime/json-object.ts";

/** The claims of a JWT, unverified; empty when the token is no JWT. */
const claimsOf = (token: string): Json => {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return {};
  return objectOf(parseJson(Buffer.from(payload, "base64url").toString("utf8"))) ?? {};
};

/** The expiry of a token, in milliseconds since the epoch; null when it states none. */
export const jwtExpiryMs = (token: string): number | null => {
  const { exp } = claimsOf(token);
  return typeof exp === "number" && exp > 0 && exp < 1e12 ? exp * 1_000 : null;
};

/**
 * Audience, issuer, subject and expiry of a token. Explains a refusal: brokers only say that a token is
 * invalid. Empty when it has none of them.
 */
export const jwtPurpose = (token: string): string => {
  const { aud, iss, sub } = claimsOf(token);
  const expiresAt = jwtExpiryMs(token);
  return [
    ["audience", aud],
    ["issuer", iss],
    ["subject", sub],
    ["expiry", expiresAt === null ? undefined : new Date(expiresAt).toISOString()],
  ]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${String(name)} ${[value].flat().map(String).join(" and ")}`)
    .join(", ");
};
