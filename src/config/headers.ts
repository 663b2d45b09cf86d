import { matching, readList, splitPair } from "./kinds.ts";
import { checkPlainList, kind } from "./setting.ts";

const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const readHeaderText = (text: string): string => {
  if (!HEADER_TEXT.test(text)) throw new Error("holds what no header of a request can carry");
  return text;
};

/** For secrets: errors repeat nothing of the text. */
export const checkHeaderText = (text: string): void => void readHeaderText(text);

/** The scheme is no part of a bearer token. */
export const checkBearer = (text: string): void => {
  checkHeaderText(text);
  if (/^bearer /i.test(text)) throw new Error("begins with Bearer, which each request has already");
};

/** Text that goes into a header of a request. */
export const headerText = kind("text", readHeaderText);

/** What a header's value begins with; may be empty. */
export const headerStart = kind(
  "text",
  matching(/^([\x21-\x7e][\x20-\x7e]*)?$/, "the beginning of a header's value"),
);

/** A `token` of HTTP (RFC 9110). */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
export const headerName = kind("header name", matching(HEADER_NAME, "a header's name"));

/** The other parameters of the partner's log, whose names are fixed. */
const OTHER_LOG_PARAMETERS = ["startDate", "eventType"];

export const parameterName = kind("parameter name", (text) => {
  if (OTHER_LOG_PARAMETERS.includes(text)) throw new Error("is the name of another parameter of the log");
  return matching(/^[A-Za-z0-9._~[\]-]+$/, "the name of a parameter such as endDate")(text);
});

/** `name=value,name=value`. Errors repeat no value: it may be secret. */
const readUniquePairs = (text: string, isPair: (name: string, value: string) => boolean, what: string) => {
  const items = readList(text).map(splitPair);
  if (items.length === 0) throw new Error(`holds no ${what} such as name=value`);
  if (!items.every(([name, value]) => isPair(name, value)))
    throw new Error(`is not a list of ${what} such as name=value,name=value`);
  const names = items.map(([name]) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`names ${repeated} twice`);
  return Object.fromEntries(items);
};

/** SASL extensions that RFC 7628 lets a client send with its token. */
export const pairs = kind("`name=value,name=value`", (text) =>
  readUniquePairs(
    text,
    (name, value) => /^[A-Za-z]+$/.test(name) && name !== "auth" && /^[\x20-\x7e]+$/.test(value),
    "SASL extensions, whose names are letters and not auth,",
  ),
);

/** Headers that each request to the registry has already, and headers of the connection. */
const RESERVED_HEADERS =
  /^(accept|connection|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

export const readHeaderPairs = (text: string): Readonly<Record<string, string>> => {
  checkPlainList(text);
  const headers = readUniquePairs(
    text,
    (name, value) => HEADER_NAME.test(name) && HEADER_TEXT.test(value),
    "headers",
  );
  const reserved = Object.keys(headers).find((name) => RESERVED_HEADERS.test(name));
  if (reserved !== undefined) throw new Error(`names the header ${reserved}, which each request has already`);
  return headers;
};
