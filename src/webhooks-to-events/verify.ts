import { rangesOf } from "../runtime/cidr.ts";
import { clientAddress } from "../listener/client-address.ts";
import { bodyHmac, headerOf, headerSecret, pathToken, standardWebhooks } from "./signatures.ts";
import type { RequestHead, Scheme, Secrets } from "./signatures.ts";

/** The answer is this status with an empty body. */
export type Refusal = { kind: "refused"; status: 401 | 404 };

/** What follows from a request's head. If it is admitted, its body may still be refused. */
export type HeadVerdict = Refusal | { kind: "admitted"; refusalOf: (body: Buffer) => Refusal | null };

const AUTHENTIC: HeadVerdict = { kind: "admitted", refusalOf: () => null };

/** The settings WEBHOOK_…, and the secrets. */
export type VerificationOptions = {
  auth: "path-token" | "header" | "hmac" | "standard-webhooks" | "none" | undefined;
  signatureHeader?: string | undefined;
  /** Before the digest, such as `sha256=`; often empty. */
  signaturePrefix: string;
  /** Accepted clock skew, in both directions. */
  toleranceMs: number;
  /** When empty, every address is allowed. */
  allowedCidrs: readonly string[];
  trustedProxyCidrs: readonly string[];
  /** Not called with `none`. */
  secrets: Secrets;
};

const schemeOf = ({ auth, secrets, ...options }: VerificationOptions): Scheme => {
  const headerName = (options.signatureHeader ?? "").toLowerCase();
  switch (auth) {
    case "path-token":
      return pathToken(secrets);
    case "header":
      return headerSecret(secrets, headerName);
    case "hmac":
      return bodyHmac(secrets, headerName, options.signaturePrefix);
    case "standard-webhooks":
      return standardWebhooks(secrets, options.toleranceMs);
    case "none":
      return () => true;
    case undefined:
      throw new Error("WEBHOOK_AUTH is checked when the configuration is read");
  }
};

/** Builds the check from its settings. Throws a RangeError for an invalid CIDR; the check itself never throws. */
export const verification = (options: VerificationOptions): ((head: RequestHead) => HeadVerdict) => {
  const scheme = schemeOf(options);
  const isAllowed = options.allowedCidrs.length === 0 ? null : rangesOf(options.allowedCidrs);
  const isTrustedProxy = rangesOf(options.trustedProxyCidrs);
  const foreignRefusal: Refusal = { kind: "refused", status: 401 };
  const refusal: Refusal = { kind: "refused", status: options.auth === "path-token" ? 404 : 401 };
  return (head) => {
    // The address comes first, so that the answer to a foreign one does not tell whether the secret was right.
    const forwardedFor = headerOf(head, "x-forwarded-for");
    if (isAllowed && !isAllowed(clientAddress(head.peerAddress, forwardedFor, isTrustedProxy)))
      return foreignRefusal;
    const proof = scheme(head);
    if (proof === false) return refusal;
    if (proof === true) return AUTHENTIC;
    return { kind: "admitted", refusalOf: (body) => (proof(body) ? null : refusal) };
  };
};
