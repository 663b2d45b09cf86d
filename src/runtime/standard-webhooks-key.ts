const PREFIX = "whsec_";
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The bytes that a secret of the Standard Webhooks scheme stands for: base64, usually after `whsec_`. Null when it is not that. */
export const standardWebhooksKey = (secret: string): Buffer | null => {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const bytes = Buffer.from(BASE64.test(text) ? text : "", "base64");
  return bytes.length === 0 ? null : bytes;
};
