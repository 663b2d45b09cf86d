/** Splits a comma-separated list of secrets. A setting holds several while they rotate. */
export const secretsIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");

/** A Standard Webhooks secret usually begins with this. */
export const PREFIX = "whsec_";
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The key bytes of a Standard Webhooks secret: base64, usually after `whsec_`. Null when it is no base64. */
export const standardWebhooksKey = (secret: string): Buffer | null => {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const bytes = Buffer.from(BASE64.test(text) ? text : "", "base64");
  return bytes.length === 0 ? null : bytes;
};
