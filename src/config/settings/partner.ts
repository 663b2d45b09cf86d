import { checkProxy, url } from "../addresses.ts";
import { certificates, privateKey } from "../files.ts";
import { checkBearer, checkHeaderText, headerText, parameterName } from "../headers.ts";
import {
  duration,
  durationFrom,
  flag,
  integer,
  jsonPointer,
  jsonPointers,
  list,
  namedFields,
  pointersWithValues,
  statuses,
} from "../kinds.ts";
import { requiredBy, secret, type Setting } from "../setting.ts";

const forCalls = <T>(setting: Setting<T>): Setting<T> =>
  requiredBy(setting, "commands", "reconcile", "partner");

export const partner = {
  baseUrl: requiredBy(
    url(
      "PARTNER_BASE_URL",
      "Address of the partner's API, without /corporate and what follows. Less a slash at its end, it is the ce_source of events and results.",
    ),
    "serve",
    "partner",
  ),
  accessToken: forCalls(secret("PARTNER_ACCESS_TOKEN", "Bearer token for the partner.", checkBearer)),
  xToken: forCalls(secret("PARTNER_X_TOKEN", "Value of the x-token header.", checkHeaderText)),
  name: forCalls(headerText("PARTNER_NAME", "First part of the User-Agent.")),
  serviceName: headerText("PARTNER_SERVICE_NAME", "fx", "Second part of the User-Agent."),
  tlsCa: certificates("PARTNER_TLS_CA_FILE", "CA certificates, PEM."),
  tlsCert: certificates("PARTNER_TLS_CERT_FILE", "Client certificate, PEM."),
  tlsKey: privateKey("PARTNER_TLS_KEY_FILE", "Client key, PEM."),
  proxyUrl: secret("PARTNER_PROXY_URL", "HTTP proxy for calls to the partner.", checkProxy),
  connectTimeoutMs: durationFrom(1_000)("PARTNER_CONNECT_TIMEOUT", "5s", "Longest wait for a connection."),
  callTimeoutMs: durationFrom(1_000)(
    "PARTNER_CALL_TIMEOUT",
    "15s",
    "Longest wait for an answer. At least 1s, at most SHUTDOWN_TIMEOUT less 5s.",
  ),
  maxConnections: integer(1, 10_000)(
    "PARTNER_MAX_CONNECTIONS",
    "64",
    "Connections that are open at a time. Reconcile keeps one of them: at least 2 with both flows.",
  ),
  keepAliveMs: durationFrom(0)(
    "PARTNER_KEEP_ALIVE",
    "0",
    "How long the partner keeps idle connections open; with 0 each call opens a new one.",
  ),
  maxRequestsPerSecond: integer(1, 100_000)(
    "PARTNER_MAX_RPS",
    "Calls per second that all replicas start together, each by its share of the commands topic.",
  ),
  maxResponseBytes: integer(0, 524_288)("PARTNER_MAX_RESPONSE_BYTES", "65536", "Bytes kept of an answer."),
  doubtStatuses: statuses(
    "PARTNER_ACCEPT_DOUBT_STATUSES",
    "302,303,409",
    "HTTP statuses of an accept that mean IN_DOUBT, besides 408, 425, 5xx, 600 and above, and 3xx other " +
      "than 301, 307 and 308.",
  ),
  pauseOnDoubt: flag(
    "PARTNER_PAUSE_ON_DOUBT",
    "No accept starts while a command is in doubt, on any replica, until `resolve` or a late answer has resolved the doubt.",
  ),
  breakerFailures: integer(1, 1_000_000)(
    "PARTNER_BREAKER_FAILURES",
    "5",
    "After this many accepts in a row without connection or answer, or with 5xx, none starts for PARTNER_BREAKER_PAUSE.",
  ),
  breakerPauseMs: duration("PARTNER_BREAKER_PAUSE", "30s", "Each trial that fails doubles it, to 10m."),
  quoteIdPointer: jsonPointer(
    "PARTNER_QUOTE_ID_POINTER",
    "Where the quoteId is in the answer to a create; searched for when absent.",
  ),
  transactionIdPointer: jsonPointer(
    "PARTNER_TRANSACTION_ID_POINTER",
    "Where the transactionId is in the answer to an accept; when absent, the only member of that name.",
  ),
  resultFields: namedFields(
    "PARTNER_RESULT_FIELDS",
    "",
    "What `fields` of a result holds of the answer, such as `rate=/data/rate`. At most 16, of 1024 bytes each.",
  ),
  eventFields: namedFields("PARTNER_EVENT_FIELDS", "", "The same for events, from their payload."),
  failedWhen: pointersWithValues(
    "PARTNER_FAILED_WHEN",
    "",
    "What a 2xx, or an answer of the log, says when it failed, such as `/sucesso=false,/status=ERROR`. Besides " +
      "`success: false`, `error` and `errors` at its root.",
  ),
  logEntriesPointer: jsonPointer(
    "PARTNER_LOG_ENTRIES_POINTER",
    "Where the array of entries is in the log's answer; searched for when absent.",
  ),
  logNotificationPointer: jsonPointer(
    "PARTNER_LOG_NOTIFICATION_POINTER",
    "Where the notification is in an entry (an object, or JSON in a string); searched for when absent.",
  ),
  logEventPointer: jsonPointer(
    "PARTNER_LOG_EVENT_POINTER",
    "Where an entry names its event (entries of another event are passed over); the member eventType when absent.",
  ),
  logMorePointers: jsonPointers(
    "PARTNER_LOG_MORE_POINTERS",
    "Members of the log's answer that say that there is more, unless null, false, 0 or empty. Where neither this nor " +
      "PARTNER_LOG_TOTAL_POINTERS is set, any member beside the entries makes a run incomplete.",
  ),
  logTotalPointers: jsonPointers("PARTNER_LOG_TOTAL_POINTERS", "Members that hold a total of entries."),
  logEndParameter: parameterName("PARTNER_LOG_END_PARAMETER", "endtDate", "Names the last day of a query."),
  logMaxBytes: integer(1, 100_000_000_000)(
    "PARTNER_LOG_MAX_BYTES",
    "268435456",
    "Bytes of one answer of the log that are read, after decompression.",
  ),
  purposes: list("PARTNER_PURPOSES", "", "Purposes that commands may name, besides the known ones."),
  currencies: list("PARTNER_CURRENCIES", "", "Currencies that commands may name, besides the known ones."),
} as const;
