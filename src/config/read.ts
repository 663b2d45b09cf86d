import { coverAllAddresses, isCidr } from "../runtime/cidr.ts";
import { decodePercent } from "../runtime/percent.ts";
import { unreadableFile } from "./file-name.ts";
import { Secret } from "./secret.ts";

// Parsers and checks of variables. Each throws an Error whose message completes "VARIABLE …".

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** A Node timer with a longer delay fires at once. */
const MAX_DURATION_MS = 2_147_483_647;

export const readDuration = (text: string): number => {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined)
    throw new Error("is not a duration such as 500ms, 5s, 15m or 2h");
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  if (ms > MAX_DURATION_MS) throw new Error("is longer than 596h");
  return ms;
};

export const readList = (text: string): readonly string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export type Range = { min: number; max: number };

export const readInteger = (text: string, { min, max }: Range): number => {
  const value = Number(text);
  if (!/^-?\d{1,12}$/.test(text) || value < min || value > max) {
    throw new Error(`is not a whole number from ${min} to ${max}`);
  }
  return value;
};

/** Not two addresses, as other programs take. The URL parser takes a comma for part of a name or path. */
const isOne = (text: string, { hostname }: URL): boolean =>
  !/[,;|]https?:\/\//i.test(text) && /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/.test(hostname);

/** Whether it is one http or https address. The URL parser is too lenient: it ignores line breaks, and needs no slashes. */
export const isAddress = (text: string): boolean =>
  /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text) && isOne(text, new URL(text));

const parsedUrl = (value: string): URL => {
  if (!isAddress(value)) throw new Error("is not one http or https address");
  const url = new URL(value);
  if (url.port === "0") throw new Error("names port 0, which no server can have");
  if (url.username !== "" || url.password !== "")
    throw new Error("holds credentials, which have settings of their own");
  return url;
};

/** An http or https address without credentials, query or trailing slash. */
export const readUrl = (value: string): string => {
  const url = parsedUrl(value);
  if (url.search !== "" || url.hash !== "") throw new Error("has a query or a fragment");
  return value.replace(/\/+$/, "");
};

/** An http or https address without credentials or fragment, unchanged: some token endpoints have a query. */
export const readEndpoint = (value: string): string => {
  if (parsedUrl(value).hash !== "") throw new Error("has a fragment");
  return value;
};

/** Whether traffic to this address stays on the machine or is encrypted. */
export const isPrivateUrl = (value: string): boolean => {
  const { protocol, hostname } = new URL(value);
  return protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
};

/** An origin as browsers write it. Requires https, except on this machine: operators send passwords there. */
export const readOrigin = (value: string): string => {
  const { origin } = parsedUrl(value);
  if (value.toLowerCase().replace(/\/$/, "") !== origin)
    throw new Error("is not an origin such as https://console.example, without path or default port");
  if (!isPrivateUrl(origin)) throw new Error("is not https");
  return origin;
};

/**
 * A list whose items are right. Names every item that is not, without a user and password before an `@`; `form`
 * completes "which is …" for these.
 */
export const readItems = (
  text: string,
  isRight: (item: string) => boolean,
  form: string,
): readonly string[] => {
  const items = readList(text);
  const odd = items.filter((item) => !isRight(item)).map((item) => `"${item.replace(/^.*@/s, "…@")}"`);
  if (odd.length > 0)
    throw new Error(`holds ${odd.join(" and ")}, ${odd.length > 1 ? "each of which" : "which"} is ${form}`);
  return items;
};

export const readCidrs = (value: string): readonly string[] =>
  readItems(value, isCidr, "no range such as 10.0.0.0/8");

export const readTrustedCidrs = (value: string): readonly string[] => {
  const items = readCidrs(value);
  if (coverAllAddresses(items))
    throw new Error("holds every address, so that anybody could forge the header: name only the proxies");
  return items;
};

/** The address may hold a password: errors repeat nothing of it. */
export const checkProxy = (text: string): void => {
  checkPlainText(text);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.port === "0" || !isOne(text, url))
    throw new Error("is not one address such as http://proxy:3128");
  if (decodePercent(url.username) === null || decodePercent(url.password) === null)
    throw new Error("holds a % in its user or password that begins no escape: write %25 for it");
};

/** `host:port`, with an IPv6 address in brackets. */
const isBroker = (text: string): boolean => {
  const port = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text)?.[1];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
};

export const readBrokers = (text: string): readonly string[] =>
  readItems(text, isBroker, "no host:port such as kafka-1:9092");

const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export const readHeaderText = (text: string): string => {
  if (!HEADER_TEXT.test(text)) throw new Error("holds what no header of a request can carry");
  return text;
};

/** A byte order mark, or what the bytes of another encoding than UTF-8 become, is in no text that anybody meant. */
const ODD_TEXT = /[\p{Cc}\uFEFF\uFFFD]/u;

/** For secrets of any kind, and other texts: errors repeat nothing of them. */
export const checkPlainText = (text: string): void => {
  if (ODD_TEXT.test(text))
    throw new Error(
      "holds a byte order mark, a NUL, a line break or another control character, or is not in UTF-8",
    );
};

/** The same for a list: white space around its items is no part of them. */
export const checkPlainList = (text: string): void =>
  checkPlainText(text.replace(/[\t\r\n ]*(^|,|$)[\t\r\n ]*/g, "$1"));

/** For secrets: errors repeat nothing of the text. */
export const checkHeaderText = (text: string): void => void readHeaderText(text);

/** A `token` of HTTP (RFC 9110). */
export const isHeaderName = (text: string): boolean => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(text);

export const readHeaderName = (text: string): string => {
  if (!isHeaderName(text)) throw new Error("is not a header's name");
  return text;
};

/** The other parameters of the partner's log, whose names are fixed. */
const OTHER_LOG_PARAMETERS = ["startDate", "eventType"];

export const readParameterName = (text: string): string => {
  if (!/^[A-Za-z0-9._~[\]-]+$/.test(text)) throw new Error("is not the name of a parameter such as endDate");
  if (OTHER_LOG_PARAMETERS.includes(text)) throw new Error("is the name of another parameter of the log");
  return text;
};

export const readPointer = (text: string): string => {
  if (!/^(?:\/(?:[^~/]|~[01])*)+$/.test(text)) throw new Error("is not a JSON pointer such as /data/quoteId");
  return text;
};

/** `name=value,name=value`. Errors repeat no value: it may be secret. */
const readUniquePairs = (text: string, isPair: (name: string, value: string) => boolean, what: string) => {
  const items = readList(text).map((item): [string, string] => {
    const at = item.indexOf("=");
    return [item.slice(0, Math.max(at, 0)).trim(), item.slice(at + 1).trim()];
  });
  if (items.length === 0) throw new Error(`holds no ${what} such as name=value`);
  if (!items.every(([name, value]) => isPair(name, value)))
    throw new Error(`is not a list of ${what} such as name=value,name=value`);
  const names = items.map(([name]) => name.toLowerCase());
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw new Error(`names ${repeated} twice`);
  return Object.fromEntries(items);
};

/** SASL extensions that RFC 7628 lets a client send with its token. */
export const readExtensions = (text: string): Readonly<Record<string, string>> =>
  readUniquePairs(
    text,
    (name, value) => /^[A-Za-z]+$/.test(name) && name !== "auth" && /^[\x20-\x7e]+$/.test(value),
    "SASL extensions, whose names are letters and not auth,",
  );

/** Headers that each request to the registry has already, and headers of the connection. */
const TAKEN_HEADERS =
  /^(accept|connection|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

export const readHeaderPairs = (text: string): Readonly<Record<string, string>> => {
  checkPlainList(text);
  const headers = readUniquePairs(
    text,
    (name, value) => isHeaderName(name) && HEADER_TEXT.test(value),
    "headers",
  );
  const taken = Object.keys(headers).find((name) => TAKEN_HEADERS.test(name));
  if (taken !== undefined) throw new Error(`names the header ${taken}, which each request has already`);
  return headers;
};

const checkToken = (text: string): void => {
  if (!/^[\t\r\n ]*[\x21-\x7e]+[\t\r\n ]*$/.test(text)) throw new Error("names a file that holds no token");
};

/** The token in a file, read again when the file changes. */
export const readTokenFile = (file: string): Secret => {
  try {
    return Secret.fromFile(file, checkToken);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new Error(unreadableFile(file, error), { cause: error });
  }
};
