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
  host: text({ env: "WEBHOOK_HOST", fallback: "0.0.0.0", help: "Address of the public listener." }),
  port: port({
    env: "WEBHOOK_PORT",
    fallback: "8080",
    help: "Port of the public listener; 0 for any free one.",
  }),
  path: path({
    env: "WEBHOOK_PATH",
    fallback: "/webhooks/transaction-status",
    help: "Where notifications are received; path-token appends /<token>.",
  }),
  publicUrl: url({
    env: "WEBHOOK_PUBLIC_URL",
    help: "Where the partner reaches that path, without the token: what `doctor` asks from outside.",
  }),
  auth: optionalOneOf({
    env: "WEBHOOK_AUTH",
    need: ["webhooks"],
    values: ["path-token", "header", "hmac", "standard-webhooks", "none"],
    help: "How a notification proves that it is the partner's.",
  }),
  secret: secret({ env: "WEBHOOK_SECRET", help: "The secret; several, comma-separated, while rotating." }),
  signatureHeader: optionalHeaderName({
    env: "WEBHOOK_SIGNATURE_HEADER",
    help: "Header with the signature (hmac) or with the secret itself (header).",
  }),
  signaturePrefix: text({
    env: "WEBHOOK_SIGNATURE_PREFIX",
    fallback: "",
    help: "What stands before the signature, such as sha256=.",
  }),
  toleranceMs: duration({
    env: "WEBHOOK_TOLERANCE",
    fallback: "5m",
    help: "Clock skew that standard-webhooks accepts.",
  }),
  allowedCidrs: cidrs({
    env: "WEBHOOK_ALLOWED_CIDRS",
    fallback: "",
    help: "Who may call; anybody when empty.",
  }),
  trustedProxyCidrs: trustedCidrs({
    env: "WEBHOOK_TRUSTED_PROXY_CIDRS",
    fallback: "",
    help: "Peers whose X-Forwarded-For is believed.",
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
    help: "Notifications waiting for Kafka at once; beyond that 503.",
  }),
  dedupWindowMs: duration({
    env: "WEBHOOK_DEDUP_WINDOW",
    fallback: "2h",
    help: "How long a published notification is remembered.",
  }),
  trustTrace: flag({
    env: "WEBHOOK_TRUST_TRACE",
    help: "Continues the trace that a request names. Anybody may name one, so it is only linked otherwise.",
  }),
} as const;
