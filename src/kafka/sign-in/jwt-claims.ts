const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** What a token says of itself; nothing for one that is no JWT. Nothing is verified. */
const claimsOf = (token: string): Record<string, unknown> => {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return {};
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
};

/** When a token says that it expires, in milliseconds since the epoch; null for one that does not say it. */
export const jwtExpiryMs = (token: string): number | null => {
  const { exp } = claimsOf(token);
  return typeof exp === "number" && exp > 0 && exp < 1e12 ? exp * 1_000 : null;
};

/** What a token is for, for whoever wonders why it is refused: brokers say no more than that it is invalid. Empty where it says nothing. */
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
