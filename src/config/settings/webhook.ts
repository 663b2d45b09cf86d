import { checkPlainList } from "../read.ts";
import {
  cidrs,
  duration,
  flag,
  integer,
  optionalHeaderName,
  optionalOneOf,
  path,
  port,
  secret,
  text,
  trustedCidrs,
  url,
} from "../setting.ts";

export const webhook = {
  host: text({
    env: "WEBHOOK_HOST",
    fallback: "0.0.0.0",
    help: "Address that the public listener binds to.",
  }),
  port: port({
    env: "WEBHOOK_PORT",
    fallback: "8080",
    help: "Port of the public listener; 0 takes any free one.",
  }),
  path: path({
    env: "WEBHOOK_PATH",
    fallback: "/webhooks/transaction-status",
    help: "Path that takes notifications; path-token appends /<token>.",
  }),
  publicUrl: url({
    env: "WEBHOOK_PUBLIC_URL",
    help: "Address at which the partner reaches that path, without the token; `doctor` checks it.",
  }),
  auth: optionalOneOf({
    env: "WEBHOOK_AUTH",
    need: ["webhooks"],
    values: ["path-token", "header", "hmac", "standard-webhooks", "none"],
    help: "How notifications are authenticated.",
  }),
  secret: secret({
    env: "WEBHOOK_SECRET",
    help: "The shared secret; several, comma-separated, during a rotation.",
    check: checkPlainList,
  }),
  signatureHeader: optionalHeaderName({
    env: "WEBHOOK_SIGNATURE_HEADER",
    help: "Header with the signature (hmac) or with the secret itself (header).",
  }),
  signaturePrefix: text({
    env: "WEBHOOK_SIGNATURE_PREFIX",
    fallback: "",
    help: "Text before the signature, such as sha256=.",
  }),
  toleranceMs: duration({
    env: "WEBHOOK_TOLERANCE",
    fallback: "5m",
    help: "Clock skew that standard-webhooks accepts.",
  }),
  allowedCidrs: cidrs({
    env: "WEBHOOK_ALLOWED_CIDRS",
    fallback: "",
    help: "Addresses that may send webhooks; any address when empty.",
  }),
  trustedProxyCidrs: trustedCidrs({
    env: "WEBHOOK_TRUSTED_PROXY_CIDRS",
    fallback: "",
    help: "Proxies whose X-Forwarded-For is trusted.",
  }),
  maxBodyBytes: integer({
    env: "WEBHOOK_MAX_BODY_BYTES",
    fallback: "65536",
    min: 1,
    max: 524_288,
    help: "Larger bodies are answered 413.",
  }),
  publishTimeoutMs: duration({
    env: "WEBHOOK_PUBLISH_TIMEOUT",
    fallback: "5s",
    atLeastMs: 100,
    help: "Longest wait for Kafka's acknowledgement before 503.",
  }),
  maxInFlight: integer({
    env: "WEBHOOK_MAX_IN_FLIGHT",
    fallback: "2048",
    min: 1,
    max: 100_000,
    help: "Notifications that wait for Kafka at the same time; more are answered 503.",
  }),
  dedupWindowMs: duration({
    env: "WEBHOOK_DEDUP_WINDOW",
    fallback: "2h",
    help: "How long published events are remembered to deduplicate notifications.",
  }),
  trustTrace: flag({
    env: "WEBHOOK_TRUST_TRACE",
    help: "Continues the trace that a request names; false: only links to it, because anybody may name one.",
  }),
} as const;
