import { checkHeaderText, checkProxy } from "../read.ts";
import {
  certificates,
  duration,
  headerText,
  integer,
  jsonPointer,
  list,
  optionalHeaderText,
  optionalInteger,
  parameterName,
  privateKey,
  secret,
  statuses,
  url,
} from "../setting.ts";

/** Whatever calls the partner. */
const CALLS = ["commands", "reconcile", "partner"] as const;

export const partner = {
  baseUrl: url({
    env: "PARTNER_BASE_URL",
    need: ["serve", "partner"],
    help: "Address of the partner's API, up to but without /corporate. Also the ce_source of events and results, without a slash at its end.",
  }),
  accessToken: secret({
    env: "PARTNER_ACCESS_TOKEN",
    need: CALLS,
    help: "Bearer token for the partner.",
    check: checkHeaderText,
  }),
  xToken: secret({
    env: "PARTNER_X_TOKEN",
    need: CALLS,
    help: "Value of the x-token header.",
    check: checkHeaderText,
  }),
  name: optionalHeaderText({ env: "PARTNER_NAME", need: CALLS, help: "First part of the User-Agent." }),
  serviceName: headerText({
    env: "PARTNER_SERVICE_NAME",
    fallback: "fx",
    help: "Second part of the User-Agent.",
  }),
  tlsCaFile: certificates({ env: "PARTNER_TLS_CA_FILE", help: "CA certificates, PEM." }),
  tlsCertFile: certificates({ env: "PARTNER_TLS_CERT_FILE", help: "Client certificate, PEM." }),
  tlsKeyFile: privateKey({ env: "PARTNER_TLS_KEY_FILE", help: "Client key, PEM." }),
  proxyUrl: secret({
    env: "PARTNER_PROXY_URL",
    help: "HTTP proxy for calls to the partner.",
    check: checkProxy,
  }),
  connectTimeoutMs: duration({
    env: "PARTNER_CONNECT_TIMEOUT",
    fallback: "5s",
    atLeastMs: 1_000,
    help: "Longest wait for a connection. At least 1s.",
  }),
  callTimeoutMs: duration({
    env: "PARTNER_CALL_TIMEOUT",
    fallback: "15s",
    atLeastMs: 1_000,
    help: "Longest wait for an answer. At least 1s, at most SHUTDOWN_TIMEOUT less 5s.",
  }),
  maxConnections: integer({
    env: "PARTNER_MAX_CONNECTIONS",
    fallback: "64",
    min: 1,
    max: 10_000,
    help: "Connections to the partner that are open at the same time.",
  }),
  keepAliveMs: duration({
    env: "PARTNER_KEEP_ALIVE",
    fallback: "0",
    atLeastMs: 0,
    help: "How long the partner keeps idle connections open; 0: a new connection for each call.",
  }),
  maxRequestsPerSecond: optionalInteger({
    env: "PARTNER_MAX_RPS",
    min: 1,
    max: 100_000,
    help: "Calls per second that a replica starts; unlimited when absent.",
  }),
  maxResponseBytes: integer({
    env: "PARTNER_MAX_RESPONSE_BYTES",
    fallback: "65536",
    min: 0,
    max: 524_288,
    help: "Bytes of an answer's body that are kept.",
  }),
  doubtStatuses: statuses({
    env: "PARTNER_ACCEPT_DOUBT_STATUSES",
    fallback: "302,303,409",
    help: "HTTP statuses of an accept that mean IN_DOUBT, besides 408, 425, 5xx, 600 and above, and 3xx other than 301, 307 and 308.",
  }),
  breakerFailures: integer({
    env: "PARTNER_BREAKER_FAILURES",
    fallback: "5",
    min: 1,
    max: 1_000_000,
    help: "After this many doubts without an answered accept between them, no accept starts for PARTNER_BREAKER_PAUSE.",
  }),
  breakerPauseMs: duration({
    env: "PARTNER_BREAKER_PAUSE",
    fallback: "30s",
    help: "How long accepts pause after PARTNER_BREAKER_FAILURES doubts.",
  }),
  quoteIdPointer: jsonPointer({
    env: "PARTNER_QUOTE_ID_POINTER",
    help: "Where the quoteId is in the answer to a create; searched for when absent.",
  }),
  logEntriesPointer: jsonPointer({
    env: "PARTNER_LOG_ENTRIES_POINTER",
    help: "Where the array of entries is in the notification log; searched for when absent.",
  }),
  logNotificationPointer: jsonPointer({
    env: "PARTNER_LOG_NOTIFICATION_POINTER",
    help: "Where the notification is in an entry (an object, or JSON in a string); searched for when absent.",
  }),
  logEndParameter: parameterName({
    env: "PARTNER_LOG_END_PARAMETER",
    fallback: "endtDate",
    help: "Name of the query parameter for the last day of the log.",
  }),
  logMaxBytes: integer({
    env: "PARTNER_LOG_MAX_BYTES",
    fallback: "268435456",
    min: 1,
    max: 100_000_000_000,
    help: "Bytes of one answer of the log that are read, after decompression.",
  }),
  purposes: list({
    env: "PARTNER_PURPOSES",
    fallback: "",
    help: "Purposes that commands may name, besides the known ones.",
  }),
  currencies: list({
    env: "PARTNER_CURRENCIES",
    fallback: "",
    help: "Currencies that commands may name, besides the known ones.",
  }),
} as const;
