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
    help: "The partner's API, up to but without /corporate. Also the ce_source of everything published.",
  }),
  accessToken: secret({
    env: "PARTNER_ACCESS_TOKEN",
    need: CALLS,
    help: "Bearer token.",
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
    help: "HTTP proxy to reach the partner through.",
    check: checkProxy,
  }),
  connectTimeoutMs: duration({
    env: "PARTNER_CONNECT_TIMEOUT",
    fallback: "5s",
    help: "Longest wait for a connection.",
  }),
  callTimeoutMs: duration({
    env: "PARTNER_CALL_TIMEOUT",
    fallback: "15s",
    help: "Longest wait for an answer. At most SHUTDOWN_TIMEOUT less 5s.",
  }),
  maxConnections: integer({
    env: "PARTNER_MAX_CONNECTIONS",
    fallback: "64",
    min: 1,
    max: 10_000,
    help: "Connections open at once.",
  }),
  keepAliveMs: duration({
    env: "PARTNER_KEEP_ALIVE",
    fallback: "0",
    atLeastMs: 0,
    help: "How long the partner keeps idle connections open; 0: each call has a connection of its own.",
  }),
  maxRequestsPerSecond: optionalInteger({
    env: "PARTNER_MAX_RPS",
    min: 1,
    max: 100_000,
    help: "Calls started per second; unlimited when absent.",
  }),
  maxResponseBytes: integer({
    env: "PARTNER_MAX_RESPONSE_BYTES",
    fallback: "65536",
    min: 0,
    max: 524_288,
    help: "How much of an answer's body is kept.",
  }),
  doubtStatuses: statuses({
    env: "PARTNER_ACCEPT_DOUBT_STATUSES",
    fallback: "302,303,409",
    help: "Answers to an accept that do not tell whether it was executed, besides 408, 425 and 5xx.",
  }),
  breakerFailures: integer({
    env: "PARTNER_BREAKER_FAILURES",
    fallback: "5",
    min: 1,
    max: 1_000_000,
    help: "After so many doubts in a row no accept is started for PARTNER_BREAKER_PAUSE.",
  }),
  breakerPauseMs: duration({
    env: "PARTNER_BREAKER_PAUSE",
    fallback: "30s",
    help: "See PARTNER_BREAKER_FAILURES.",
  }),
  quoteIdPointer: jsonPointer({
    env: "PARTNER_QUOTE_ID_POINTER",
    help: "JSON pointer to the quoteId in the answer to a create; found tolerantly when absent.",
  }),
  logEntriesPointer: jsonPointer({
    env: "PARTNER_LOG_ENTRIES_POINTER",
    help: "JSON pointer to the array of entries in the notification log; found tolerantly when absent.",
  }),
  logNotificationPointer: jsonPointer({
    env: "PARTNER_LOG_NOTIFICATION_POINTER",
    help: "JSON pointer to the notification within an entry, an object or JSON in a string; found tolerantly when absent.",
  }),
  logEndParameter: parameterName({
    env: "PARTNER_LOG_END_PARAMETER",
    fallback: "endtDate",
    help: "Name of the parameter that says where the log is to end.",
  }),
  logMaxBytes: integer({
    env: "PARTNER_LOG_MAX_BYTES",
    fallback: "268435456",
    min: 1,
    max: 100_000_000_000,
    help: "How much of one answer of the log is read, after decompression.",
  }),
  purposes: list({ env: "PARTNER_PURPOSES", fallback: "", help: "Purposes allowed beyond the known ones." }),
  currencies: list({
    env: "PARTNER_CURRENCIES",
    fallback: "",
    help: "Currencies allowed beyond the known ones.",
  }),
} as const;
