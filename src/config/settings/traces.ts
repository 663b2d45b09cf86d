import { checkPlainList, isHeaderName } from "../read.ts";
import { certificates, oneOf, optionalOneOf, secret, someOf, url, withDefault } from "../setting.ts";

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
  disabled: flag({
    env: "OTEL_SDK_DISABLED",
    fallback: "false",
    help: "Switches traces off, whatever else is set.",
  }),
  exporter: oneOf({
    env: "OTEL_TRACES_EXPORTER",
    fallback: "otlp",
    values: ["otlp", "none"],
    help: "Exporter; none switches traces off.",
  }),
  endpoint: url({
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    help: "Address of the collector; /v1/traces is appended. Traces are off without this and the next setting.",
  }),
  tracesEndpoint: url({
    env: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    help: "Full address for traces; nothing is appended.",
  }),
  protocol: oneOf({
    env: "OTEL_EXPORTER_OTLP_PROTOCOL",
    fallback: "http/protobuf",
    values: PROTOCOLS,
    help: "The only protocol that is supported, usually on port 4318 of a collector.",
  }),
  tracesProtocol: optionalOneOf({
    env: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    values: PROTOCOLS,
    help: "Overrides the setting above for traces.",
  }),
  headers: secret({
    env: "OTEL_EXPORTER_OTLP_HEADERS",
    help: "Headers for the collector, as key=value,key=value with percent-escapes.",
    check: checkHeaders,
  }),
  tracesHeaders: secret({
    env: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    help: "Headers for traces only, added to those above.",
    check: checkHeaders,
  }),
  caFile: certificates({ env: "OTEL_EXPORTER_OTLP_CERTIFICATE", help: "CA certificates, PEM." }),
  tracesCaFile: certificates({
    env: "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
    help: "Overrides the setting above for traces.",
  }),
  propagators: someOf({
    env: "OTEL_PROPAGATORS",
    fallback: "tracecontext,baggage",
    values: ["tracecontext", "baggage", "none"],
    help: "Without tracecontext, trace contexts are neither read nor written. Baggage is never passed on.",
  }),
} as const;
