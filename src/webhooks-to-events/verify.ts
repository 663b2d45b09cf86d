import { rangesOf } from "../runtime/cidr.ts";
import { clientAddress } from "./client-address.ts";
import type { RawDelivery } from "./delivery.ts";
import type { Secrets } from "./secret-keys.ts";
import { bodyHmac, headerSecret, pathToken, standardWebhooks, type Scheme } from "./signatures.ts";

declare const verified: unique symbol;

/** Came from somebody who may send it. Only this file makes these, so what asks for one cannot be called too early. */
export type Verified<T> = T & { readonly [verified]: true };

export type Verification =
  { ok: true; delivery: Verified<RawDelivery> } | { ok: false; /** The whole answer. */ status: 401 | 404 };

export type Auth =
  | { kind: "path-token" }
  | { kind: "header"; headerName: string }
  | { kind: "hmac"; headerName: string; /** Such as `sha256=`; often empty. */ prefix: string }
  | { kind: "standard-webhooks"; /** Accepted clock skew, to both sides. */ toleranceMs: number }
  | { kind: "none" };

export type VerificationOptions = {
  auth: Auth;
  /** Not asked with `none`. */
  secrets: Secrets;
  /** Empty: every address. */
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
      return () => true;
  }
};

/** Builds the step once from its settings; the step itself never throws. Throws a RangeError for an unreadable CIDR. */
export const verification = (
  options: VerificationOptions,
): ((delivery: RawDelivery, nowMs: number) => Verification) => {
  const isAuthentic = schemeOf(options.auth, options.secrets);
  const isAllowed = options.allowedCidrs.length === 0 ? () => true : rangesOf(options.allowedCidrs);
  const isTrustedProxy = rangesOf(options.trustedProxyCidrs);
  const refusal = options.auth.kind === "path-token" ? 404 : 401;
  return (delivery, nowMs) => {
    // The address comes first: from outside the ranges the answer is the same for a right and a wrong secret.
    if (options.allowedCidrs.length > 0 && !isAllowed(clientAddress(delivery, isTrustedProxy)))
      return { ok: false, status: 401 };
    if (!isAuthentic(delivery, nowMs)) return { ok: false, status: refusal };
    return { ok: true, delivery: delivery as Verified<RawDelivery> };
  };
};
