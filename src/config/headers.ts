import { itemsIn } from "../runtime/secret-list.ts";
import { checkOnce, pairsOf, splitPair, textLike } from "./kinds.ts";
import { checkPlainList, kind } from "./setting.ts";

const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Errors repeat nothing of the text, because it may be a secret. */
export const checkHeaderText = (text: string): void => {
  if (!HEADER_TEXT.test(text)) throw new Error("holds what no header of a request can carry");
};

/** The scheme is no part of a bearer token. */
export const checkBearer = (text: string): void => {
  checkHeaderText(text);
  if (/^bearer /i.test(text)) throw new Error("begins with Bearer, which each request has already");
};

export const headerText = kind("text", (text) => {
  checkHeaderText(text);
  return text;
});

export const headerStart = textLike(
  "text",
  /^([\x21-\x7e][\x20-\x7e]*)?$/,
  "the beginning of a header's value",
);

/** A `token` of HTTP (RFC 9110). */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
export const headerName = textLike("header name", HEADER_NAME, "a header's name");

/** The other parameters of the partner's log have fixed names. */
const PARAMETER_NAME = /^(?!(startDate|eventType)$)[A-Za-z0-9._~[\]-]+$/;
export const parameterName = textLike(
  "parameter name",
  PARAMETER_NAME,
  "the name of a parameter such as endDate, or it is that of another one",
);

const readExtensions = pairsOf(
  (name, value) => /^[A-Za-z]+$/.test(name) && name !== "auth" && /^[\x20-\x7e]+$/.test(value),
  "no SASL extension such as name=value, whose name is letters and not auth",
  false,
);

/** SASL extensions that RFC 7628 lets a client send with its token. */
export const pairs = kind("`name=value,name=value`", (text): Readonly<Record<string, string>> => {
  const extensions = readExtensions(text);
  checkOnce(extensions.map(([name]) => name));
  return Object.fromEntries(extensions);
});

/** Headers that each request to the registry has already, and headers of the connection. */
const RESERVED_HEADERS =
  /^(accept|connection|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Errors repeat no value, because it may be secret. */
export const readHeaderPairs = (text: string): Readonly<Record<string, string>> => {
  checkPlainList(text);
  const headers = itemsIn(text).map(splitPair);
  if (headers.length === 0) throw new Error("is empty");
  if (!headers.every(([name, value]) => HEADER_NAME.test(name) && HEADER_TEXT.test(value)))
    throw new Error("is not a list of headers such as name=value,name=value");
  const names = headers.map(([name]) => name.toLowerCase());
  checkOnce(names);
  const reserved = names.find((name) => RESERVED_HEADERS.test(name));
  if (reserved !== undefined) throw new Error(`names the header ${reserved}, which each request has already`);
  return Object.fromEntries(headers);
};
