import { checkProxy, url } from "../addresses.ts";
import { certificates, privateKey } from "../files.ts";
import { checkHeaderText, headerText, optionalHeaderText, parameterName } from "../headers.ts";
import { duration, integer, jsonPointer, list, optionalInteger, statuses } from "../kinds.ts";
import { secret } from "../setting.ts";

/** Whatever calls the partner. */
const CALLS = ["commands", "reconcile", "partner"] as const;

export const partner = {
  baseUrl: url(
    "PARTNER_BASE_URL",
    "Address of the partner's API, up to but without /corporate. Also the ce_source of events and results, without a slash at its end.",
    { need: ["serve", "partner"] },
  ),
  accessToken: secret("PARTNER_ACCESS_TOKEN", "Bearer token for the partner.", {
    need: CALLS,
    check: checkHeaderText,
  }),
  xToken: secret("PARTNER_X_TOKEN", "Value of the x-token header.", { need: CALLS, check: checkHeaderText }),
  name: optionalHeaderText("PARTNER_NAME", "First part of the User-Agent.", { need: CALLS }),
  serviceName: headerText("PARTNER_SERVICE_NAME", "fx", "Second part of the User-Agent."),
  tlsCaFile: certificates("PARTNER_TLS_CA_FILE", "CA certificates, PEM."),
  tlsCertFile: certificates("PARTNER_TLS_CERT_FILE", "Client certificate, PEM."),
  tlsKeyFile: privateKey("PARTNER_TLS_KEY_FILE", "Client key, PEM."),
  proxyUrl: secret("PARTNER_PROXY_URL", "HTTP proxy for calls to the partner.", { check: checkProxy }),
  connectTimeoutMs: duration("PARTNER_CONNECT_TIMEOUT", "5s", "Longest wait for a connection. At least 1s.", {
    atLeastMs: 1_000,
  }),
  callTimeoutMs: duration(
    "PARTNER_CALL_TIMEOUT",
    "15s",
    "Longest wait for an answer. At least 1s, at most SHUTDOWN_TIMEOUT less 5s.",
    { atLeastMs: 1_000 },
  ),
  maxConnections: integer(
    "PARTNER_MAX_CONNECTIONS",
    "64",
    "Connections to the partner that are open at the same time.",
    { min: 1, max: 10_000 },
  ),
  keepAliveMs: duration(
    "PARTNER_KEEP_ALIVE",
    "0",
    "How long the partner keeps idle connections open; 0: a new connection for each call.",
    { atLeastMs: 0 },
  ),
  maxRequestsPerSecond: optionalInteger(
    "PARTNER_MAX_RPS",
    "Calls per second that a replica starts; unlimited when absent.",
    { min: 1, max: 100_000 },
  ),
  maxResponseBytes: integer(
    "PARTNER_MAX_RESPONSE_BYTES",
    "65536",
    "Bytes of an answer's body that are kept.",
    { min: 0, max: 524_288 },
  ),
  doubtStatuses: statuses(
    "PARTNER_ACCEPT_DOUBT_STATUSES",
    "302,303,409",
    "HTTP statuses of an accept that mean IN_DOUBT, besides 408, 425, 5xx, 600 and above, and 3xx other than 301, 307 and 308.",
  ),
  breakerFailures: integer(
    "PARTNER_BREAKER_FAILURES",
    "5",
    "After this many doubts without an answered accept between them, no accept starts for PARTNER_BREAKER_PAUSE.",
    { min: 1, max: 1_000_000 },
  ),
  breakerPauseMs: duration(
    "PARTNER_BREAKER_PAUSE",
    "30s",
    "How long accepts pause after PARTNER_BREAKER_FAILURES doubts.",
  ),
  quoteIdPointer: jsonPointer(
    "PARTNER_QUOTE_ID_POINTER",
    "Where the quoteId is in the answer to a create; searched for when absent.",
  ),
  transactionIdPointer: jsonPointer(
    "PARTNER_TRANSACTION_ID_POINTER",
    "Where the transactionId is in the answer to an accept; the one member of that name when absent.",
  ),
  logEntriesPointer: jsonPointer(
    "PARTNER_LOG_ENTRIES_POINTER",
    "Where the array of entries is in the notification log; searched for when absent.",
  ),
  logNotificationPointer: jsonPointer(
    "PARTNER_LOG_NOTIFICATION_POINTER",
    "Where the notification is in an entry (an object, or JSON in a string); searched for when absent.",
  ),
  logEndParameter: parameterName(
    "PARTNER_LOG_END_PARAMETER",
    "endtDate",
    "Name of the query parameter for the last day of the log.",
  ),
  logMaxBytes: integer(
    "PARTNER_LOG_MAX_BYTES",
    "268435456",
    "Bytes of one answer of the log that are read, after decompression.",
    { min: 1, max: 100_000_000_000 },
  ),
  purposes: list("PARTNER_PURPOSES", "", "Purposes that commands may name, besides the known ones."),
  currencies: list("PARTNER_CURRENCIES", "", "Currencies that commands may name, besides the known ones."),
} as const;
