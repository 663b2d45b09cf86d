/** Splits a comma-separated list, such as the secrets of a setting while they rotate. */
export const itemsIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** A Standard Webhooks secret usually begins with this. */
export const PREFIX = "whsec_";
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The key bytes of a Standard Webhooks secret: base64, usually after `whsec_`. Null when it is no base64. */
export const standardWebhooksKey = (secret: string): Buffer | null => {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const bytes = Buffer.from(BASE64.test(text) ? text : "", "base64");
  return bytes.length === 0 ? null : bytes;
};
