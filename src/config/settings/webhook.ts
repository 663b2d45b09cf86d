import { cidrs, trustedCidrs, url } from "../addresses.ts";
import { optionalHeaderName } from "../headers.ts";
import { duration, flag, integer, optionalOneOf, path, port, text } from "../kinds.ts";
import { checkPlainList, secret } from "../setting.ts";

export const webhook = {
  host: text("WEBHOOK_HOST", "0.0.0.0", "Address that the public listener binds to."),
  port: port("WEBHOOK_PORT", "8080", "Port of the public listener; 0 takes any free one."),
  path: path(
    "WEBHOOK_PATH",
    "/webhooks/transaction-status",
    "Path that takes notifications; path-token appends /<token>.",
  ),
  publicUrl: url(
    "WEBHOOK_PUBLIC_URL",
    "Address at which the partner reaches that path, without the token; `doctor` checks it.",
  ),
  auth: optionalOneOf("WEBHOOK_AUTH", "How notifications are authenticated.", {
    need: ["webhooks"],
    values: ["path-token", "header", "hmac", "standard-webhooks", "none"],
  }),
  secret: secret("WEBHOOK_SECRET", "The shared secret; several, comma-separated, during a rotation.", {
    check: checkPlainList,
  }),
  signatureHeader: optionalHeaderName(
    "WEBHOOK_SIGNATURE_HEADER",
    "Header with the signature (hmac) or with the secret itself (header).",
  ),
  signaturePrefix: text("WEBHOOK_SIGNATURE_PREFIX", "", "Text before the signature, such as sha256=."),
  toleranceMs: duration("WEBHOOK_TOLERANCE", "5m", "Clock skew that standard-webhooks accepts."),
  allowedCidrs: cidrs(
    "WEBHOOK_ALLOWED_CIDRS",
    "",
    "Addresses that may send webhooks; any address when empty.",
  ),
  trustedProxyCidrs: trustedCidrs(
    "WEBHOOK_TRUSTED_PROXY_CIDRS",
    "",
    "Proxies whose X-Forwarded-For is trusted.",
  ),
  maxBodyBytes: integer("WEBHOOK_MAX_BODY_BYTES", "65536", "Larger bodies are answered 413.", {
    min: 1,
    max: 524_288,
  }),
  publishTimeoutMs: duration(
    "WEBHOOK_PUBLISH_TIMEOUT",
    "5s",
    "Longest wait for Kafka's acknowledgement before 503.",
    { atLeastMs: 100 },
  ),
  maxInFlight: integer(
    "WEBHOOK_MAX_IN_FLIGHT",
    "2048",
    "Notifications that wait for Kafka at the same time; more are answered 503.",
    { min: 1, max: 100_000 },
  ),
  dedupWindowMs: duration(
    "WEBHOOK_DEDUP_WINDOW",
    "2h",
    "How long published events are remembered to deduplicate notifications.",
  ),
  trustTrace: flag(
    "WEBHOOK_TRUST_TRACE",
    "Continues the trace that a request names; false: only links to it, because anybody may name one.",
  ),
} as const;
