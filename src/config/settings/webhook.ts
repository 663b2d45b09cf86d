import { cidrs, host, trustedCidrs, url } from "../addresses.ts";
import { headerName, headerStart } from "../headers.ts";
import { duration, durationFrom, integer, oneOf, path, port } from "../kinds.ts";
import { checkPlainList, requiredBy, secret } from "../setting.ts";

const WAYS = ["path-token", "header", "hmac", "standard-webhooks", "none"] as const;

export const webhook = {
  host: host("WEBHOOK_HOST", "0.0.0.0", "Address that the public listener binds to."),
  port: port("WEBHOOK_PORT", "8080", "Port of the public listener; 0 takes any free one."),
  path: path("WEBHOOK_PATH", "/webhooks/transaction-status", "Its path; path-token appends /<token>."),
  publicUrl: url("WEBHOOK_PUBLIC_URL", "That path from outside, without the token; for `doctor`."),
  auth: requiredBy(oneOf(WAYS)("WEBHOOK_AUTH", "How notifications are authenticated."), "webhooks"),
  secret: secret(
    "WEBHOOK_SECRET",
    "The shared secret, of 16 characters at least; several, comma-separated, during a rotation.",
    checkPlainList,
  ),
  signatureHeader: headerName("WEBHOOK_SIGNATURE_HEADER", "Header with the signature or the secret."),
  signaturePrefix: headerStart("WEBHOOK_SIGNATURE_PREFIX", "", "Text before the signature, such as sha256=."),
  toleranceMs: duration("WEBHOOK_TOLERANCE", "5m", "Clock skew that standard-webhooks accepts."),
  allowedCidrs: cidrs("WEBHOOK_ALLOWED_CIDRS", "", "Addresses that may send webhooks; any when empty."),
  trustedProxyCidrs: trustedCidrs("WEBHOOK_TRUSTED_PROXY_CIDRS", "", "Whose X-Forwarded-For is trusted."),
  maxBodyBytes: integer(1, 524_288)("WEBHOOK_MAX_BODY_BYTES", "65536", "Larger bodies are answered 413."),
  publishTimeoutMs: durationFrom(100)("WEBHOOK_PUBLISH_TIMEOUT", "5s", "Longest wait for Kafka before 503."),
  maxInFlight: integer(1, 100_000)("WEBHOOK_MAX_IN_FLIGHT", "2048", "Webhooks that may wait; more get 503."),
  dedupWindowMs: duration("WEBHOOK_DEDUP_WINDOW", "2h", "How long published events are remembered."),
} as const;
