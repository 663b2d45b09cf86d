import { rangesOf } from "../runtime/cidr.ts";
import { clientAddress } from "./client-address.ts";
import type { RequestHead } from "./delivery.ts";
import type { Secrets } from "./secret-keys.ts";
import { anyBody, bodyHmac, headerSecret, pathToken, standardWebhooks, type Scheme } from "./signatures.ts";

declare const verified: unique symbol;

/**
 * The body of an authentic sender. Only this file creates values of this type, so a function that takes one cannot
 * run before the check.
 */
export type VerifiedBody = Buffer & { readonly [verified]: true };

/** The answer is this status with an empty body. */
export type Refusal = { kind: "refused"; status: 401 | 404 };

/** What a request's head allows: nothing, or to read the body and verify that too. */
export type Admission =
  | Refusal
  | {
      kind: "admitted";
      verify: (body: Buffer) => Refusal | { kind: "verified"; body: VerifiedBody };
    };

export type Auth =
  | { kind: "path-token" }
  | { kind: "header"; headerName: string }
  | {
      kind: "hmac";
      headerName: string;
      /** Before the digest, such as `sha256=`; often empty. */ prefix: string;
    }
  | { kind: "standard-webhooks"; /** Accepted clock skew, in both directions. */ toleranceMs: number }
  | { kind: "none" };

export type VerificationOptions = {
  auth: Auth;
  /** Not called with `none`. */
  secrets: Secrets;
  /** When empty, every address is allowed. */
  allowedCidrs: readonly string[];
  trustedProxyCidrs: readonly string[];
};

const schemeOf = (auth: Auth, secrets: Secrets): Scheme => {
  switch (auth.kind) {
    case "path-token":
      return pathToken(secrets);
    case "header":
      return headerSecret(secrets, auth.headerName);
    case "hmac":
      return bodyHmac(secrets, auth.headerName, auth.prefix);
    case "standard-webhooks":
      return standardWebhooks(secrets, auth.toleranceMs);
    case "none":
      return () => anyBody;
  }
};

/**
 * Builds the check from its settings. Throws a RangeError for an invalid CIDR; the check itself never throws.
 */
export const verification = (
  options: VerificationOptions,
): ((head: RequestHead, nowMs: number) => Admission) => {
  const scheme = schemeOf(options.auth, options.secrets);
  const isAllowed = options.allowedCidrs.length === 0 ? () => true : rangesOf(options.allowedCidrs);
  const isTrustedProxy = rangesOf(options.trustedProxyCidrs);
  const foreign: Refusal = { kind: "refused", status: 401 };
  const refusal: Refusal = { kind: "refused", status: options.auth.kind === "path-token" ? 404 : 401 };
  return (head, nowMs) => {
    // The address is checked first, so that the answer to a foreign address does not tell whether the secret
    // was right.
    if (options.allowedCidrs.length > 0 && !isAllowed(clientAddress(head, isTrustedProxy))) return foreign;
    const isSigned = scheme(head, nowMs);
    if (isSigned === null) return refusal;
    return {
      kind: "admitted",
      verify: (body) => (isSigned(body) ? { kind: "verified", body: body as VerifiedBody } : refusal),
    };
  };
};
