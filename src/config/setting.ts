import { readCertificates, readPrivateKey } from "./pem.ts";
import {
  checkPlainText,
  readBrokers,
  readCidrs,
  readDuration,
  readEndpoint,
  readExtensions,
  readHeaderName,
  readHeaderText,
  readInteger,
  readItems,
  readList,
  readOrigin,
  readParameterName,
  readPointer,
  readTokenFile,
  readTrustedCidrs,
  readUrl,
  type Range,
} from "./read.ts";
import { Secret } from "./secret.ts";

/**
 * What requires a setting: Kafka, `serve` with any flow, one of the flows, calls to the partner alone, or the
 * console.
 */
export type Need = "kafka" | "serve" | "webhooks" | "commands" | "reconcile" | "partner" | "console";

/** One environment variable: its parser, default and documentation. */
export type Setting<T> = {
  env: string;
  /** The default, as the text of the variable; null when there is none. */
  fallback: string | null;
  /** It is required for each of these. */
  need: readonly Need[];
  secret: boolean;
  /** The form of a value, for documentation. */
  shape: string;
  help: string;
  /** Throws an Error whose message completes "VARIABLE …" and holds nothing secret. */
  read: (text: string) => T;
  /** Validates the text of a secret, from the variable or a file; throws like `read`. */
  check?: (text: string) => void;
};

type Row = { env: string; help: string; need?: readonly Need[] };
type WithFallback = Row & { fallback: string };
/** A setting without a default, whose value may be undefined. */
type Optional<T> = Setting<T> & { optional: true };

const row = <T>(
  { env, help, need = [], fallback = null }: Row & { fallback?: string | null },
  shape: string,
  read: (text: string) => T,
): Setting<T> => ({ env, help, need, shape, fallback, secret: false, read });

/** Makes a kind of settings that always have a value. */
export const withDefault =
  <T>(shape: string, read: (text: string) => T) =>
  (options: WithFallback): Setting<T> =>
    row(options, shape, read);

/** Makes a kind of settings whose value may be undefined. */
export const optional =
  <T>(shape: string, read: (text: string) => T) =>
  (options: Row): Optional<T> => ({ ...row(options, shape, read), optional: true });

/**
 * A duration such as `500ms`, `5s`, `15m` or `2h`, as milliseconds. With `atLeastMs: 0`, `0` is accepted too.
 */
export const duration = (options: WithFallback & { atLeastMs?: number }): Setting<number> =>
  row(options, "duration", (text) => {
    const least = options.atLeastMs ?? 1;
    const ms = text === "0" && least === 0 ? 0 : readDuration(text);
    if (ms < least) throw new Error(`is shorter than ${least}ms`);
    return ms;
  });

export const integer = (options: WithFallback & Range): Setting<number> =>
  row(options, "number", (text) => readInteger(text, options));

export const optionalInteger = (options: Row & Range): Optional<number> =>
  optional("number", (text) => readInteger(text, options))(options);

/**
 * A TCP port. Kubernetes injects `tcp://…` for services under such names: that has an error message of its
 * own.
 */
export const port = (options: WithFallback): Setting<number> =>
  row(options, "port", (text) => {
    if (text.startsWith("tcp://")) {
      const service = options.env.replace(/_PORT$/, "").toLowerCase();
      throw new Error(
        `is an address, which Kubernetes injects for a service named "${service}": rename that service or set enableServiceLinks: false on the pod`,
      );
    }
    return readInteger(text, { min: 0, max: 65_535 });
  });

const readText = (value: string): string => {
  checkPlainText(value);
  return value;
};
export const text = withDefault("text", readText);
export const optionalText = optional("text", readText);

/** Text that goes into a header of a request. */
export const headerText = withDefault("text", readHeaderText);
export const optionalHeaderText = optional("text", readHeaderText);

export const headerName = withDefault("header name", readHeaderName);
export const optionalHeaderName = optional("header name", readHeaderName);

export const jsonPointer = optional("JSON pointer", readPointer);

export const parameterName = withDefault("parameter name", readParameterName);

/** The name of a file with certificates, PEM. */
export const certificates = optional("file", readCertificates);

/** The name of a file with a private key, PEM. */
export const privateKey = optional("file", readPrivateKey);

/** A path on the public listener. */
export const path = (options: WithFallback): Setting<string> =>
  row(options, "path", (value) => {
    if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(value))
      throw new Error("is not a path such as /webhooks/transaction-status");
    return value;
  });

export const topic = (options: WithFallback): Setting<string> =>
  row(options, "topic", (value) => {
    if (!/^[A-Za-z0-9._-]{1,249}$/.test(value) || value === "." || value === "..") {
      throw new Error("is not a topic name (letters, digits, dot, underscore and hyphen, at most 249)");
    }
    return value;
  });

/** Kafka's bootstrap brokers. */
export const brokers = (options: Row): Setting<readonly string[]> =>
  row(options, "list of host:port", (value) => {
    const items = readBrokers(value);
    if (items.length === 0) throw new Error("is empty");
    return items;
  });

export const list = withDefault("list", readList);

export const flag = (options: Row): Setting<boolean> =>
  row({ ...options, fallback: "false" }, "true or false", (value) => {
    if (value !== "true" && value !== "false") throw new Error("is neither true nor false");
    return value === "true";
  });

const readOneOf = <T extends string>(values: readonly T[], value: string): T => {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined)
    throw new Error(`is ${values.length > 1 ? "none of" : "not"} ${values.join(", ")}`);
  return found;
};

export const oneOf = <T extends string>(options: WithFallback & { values: readonly T[] }): Setting<T> =>
  row(options, options.values.join(", "), (value) => readOneOf(options.values, value));

export const optionalOneOf = <T extends string>(options: Row & { values: readonly T[] }): Optional<T> =>
  optional(options.values.join(", "), (value) => readOneOf(options.values, value))(options);

export const someOf = <T extends string>(
  options: WithFallback & { values: readonly T[] },
): Setting<readonly T[]> =>
  row(options, `list of ${options.values.join(", ")}`, (value) => {
    const names = options.values.join(", ");
    const isName = (item: string): boolean => options.values.some((candidate) => candidate === item);
    const items = readItems(value, isName, `none of ${names}`);
    if (items.length === 0) throw new Error(`names none of ${names}`);
    return [...new Set(items.map((item) => readOneOf(options.values, item)))];
  });

export const url = optional("address", readUrl);

/** A URL that is used unchanged, with its query. */
export const endpoint = optional("address", readEndpoint);

export const pairs = optional("`name=value,name=value`", readExtensions);

/** The name of a file whose text is a secret, read again when it changes. */
export const secretFile = optional("file", readTokenFile);

/** A secret, never printed. The variable NAME_FILE names a file to read it from instead. */
export const secret = (options: Row & { check?: (text: string) => void }): Optional<Secret> => ({
  ...optional("secret", (value) => Secret.of(value))(options),
  secret: true,
  check: options.check ?? checkPlainText,
});

export const requiredUrl = (options: Row): Setting<string> => row(options, "address", readUrl);

export const origin = optional("address", readOrigin);

/** Address ranges such as 10.0.0.0/8, or single addresses. */
export const cidrs = withDefault("list of CIDRs", readCidrs);

/** Address ranges of trusted peers: they must not cover all addresses. */
export const trustedCidrs = withDefault("list of CIDRs", readTrustedCidrs);

/** HTTP statuses, with classes such as 5xx. */
export const statuses = (options: WithFallback): Setting<readonly string[]> =>
  row(options, "list of statuses", (value) =>
    readItems(value, (item) => /^([3-5]\d\d|[3-5]xx)$/.test(item), "no HTTP status such as 409 or 4xx"),
  );
