import { url } from "../addresses.ts";
import { certificates } from "../files.ts";
import { isHeaderName } from "../headers.ts";
import { oneOf, optionalOneOf, someOf } from "../kinds.ts";
import { checkPlainList, secret, withDefault } from "../setting.ts";

// Readers for OpenTelemetry's own variables. They follow its specification, which differs from the bridge's
// settings.

const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** `key=value,key=value` with percent-escapes. Its errors repeat nothing of the text, which may be secret. */
export const readEscapedPairs = (text: string): Readonly<Record<string, string>> => {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  const entries = pairs.map((pair): [string, string] => {
    const [, key, value] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (!key || value === undefined) throw new Error("is not a list of key=value, separated by commas");
    try {
      return [decodeURIComponent(key), decodeURIComponent(value)];
    } catch {
      throw new Error("holds a % that begins no escape: write %25 for it");
    }
  });
  return Object.fromEntries(entries);
};

/** Checks headers in the same form. */
const checkHeaders = (text: string): void => {
  checkPlainList(text);
  for (const [name, value] of Object.entries(readEscapedPairs(text)))
    if (!isHeaderName(name) || !HEADER_VALUE.test(value))
      throw new Error("holds what no header of a request can carry");
};

/** true or false, case-insensitive. */
const readFlag = (text: string): boolean => {
  const value = text.toLowerCase();
  if (value !== "true" && value !== "false") throw new Error("is neither true nor false");
  return value === "true";
};

const PROTOCOLS = ["http/protobuf"] as const;

const flag = withDefault("true or false", readFlag);

/**
 * The variables of OpenTelemetry that decide whether there are traces, and where they go. Its SDK reads all
 * others itself.
 */
export const traces = {
  disabled: flag("OTEL_SDK_DISABLED", "false", "Switches traces off, whatever else is set."),
  exporter: oneOf("OTEL_TRACES_EXPORTER", "otlp", "Exporter; none switches traces off.", {
    values: ["otlp", "none"],
  }),
  endpoint: url(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "Address of the collector; /v1/traces is appended. Traces are off without this and the next setting.",
  ),
  tracesEndpoint: url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "Full address for traces; nothing is appended."),
  protocol: oneOf(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "http/protobuf",
    "The only protocol that is supported, usually on port 4318 of a collector.",
    { values: PROTOCOLS },
  ),
  tracesProtocol: optionalOneOf(
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    "Overrides the setting above for traces.",
    { values: PROTOCOLS },
  ),
  headers: secret(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "Headers for the collector, as key=value,key=value with percent-escapes.",
    { check: checkHeaders },
  ),
  tracesHeaders: secret(
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "Headers for traces only, added to those above.",
    { check: checkHeaders },
  ),
  caFile: certificates("OTEL_EXPORTER_OTLP_CERTIFICATE", "CA certificates, PEM."),
  tracesCaFile: certificates(
    "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
    "Overrides the setting above for traces.",
  ),
  propagators: someOf(
    "OTEL_PROPAGATORS",
    "tracecontext,baggage",
    "Without tracecontext, trace contexts are neither read nor written. Baggage is never passed on.",
    { values: ["tracecontext", "baggage", "none"] },
  ),
} as const;
