import { createHmac } from "node:crypto";

/** How notifications are signed. The specification shows no signature, so none is the default. */
export const signSchemes = ["header", "hmac-hex", "hmac-base64", "standard-webhooks"] as const;
export type SignScheme = (typeof signSchemes)[number];

export type Signing = {
  scheme: SignScheme;
  /** For standard-webhooks: base64, with or without `whsec_` before it. */
  secret: string;
  /** Not used by standard-webhooks, which has three headers of its own. */
  header: string;
  /** The text before the digest, such as `sha256=`. */
  prefix: string;
};

const hmac = (key: string | Buffer, text: string, encoding: "hex" | "base64"): string =>
  createHmac("sha256", key).update(text).digest(encoding);

/**
 * The signature headers of one attempt. `sentAt` must be real time, because receivers compare it with their
 * clock. A forged notification is signed with another secret.
 */
export const signatureHeaders = (
  signing: Signing,
  message: { id: string; body: string; sentAt: number; forged: boolean },
): Record<string, string> => {
  const secret = message.forged ? `not-${signing.secret}` : signing.secret;
  switch (signing.scheme) {
    case "header":
      return { [signing.header]: `${signing.prefix}${secret}` };
    case "hmac-hex":
      return { [signing.header]: signing.prefix + hmac(secret, message.body, "hex") };
    case "hmac-base64":
      return { [signing.header]: signing.prefix + hmac(secret, message.body, "base64") };
    case "standard-webhooks": {
      const key = Buffer.from(signing.secret.replace(/^whsec_/, ""), "base64");
      const timestamp = Math.floor(message.sentAt / 1000).toString();
      const signed = hmac(
        message.forged ? Buffer.concat([key, key]) : key,
        `${message.id}.${timestamp}.${message.body}`,
        "base64",
      );
      return {
        "webhook-id": message.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signed}`,
      };
    }
  }
};
