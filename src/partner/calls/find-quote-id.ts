import { scalarText, valueAt } from "../../runtime/json-pointer.ts";
import { elements, members } from "../../runtime/json.ts";
import { decodePercent } from "../../runtime/percent.ts";

// The form of the answers is not documented: the surest names come first, and competing values give none.

/** Likely names of a quote's id, compared without case and separators. */
const QUOTE_ID_NAMES = new Set(["quoteid", "quotationid", "quoteuuid", "quotationuuid"]);
const ID_NAMES = new Set(["id", "uuid", "identifier"]);
/** Names of objects that are the quote, and of those that only wrap an answer. */
const QUOTE_NAMES = new Set(["quote", "quotation"]);
const WRAPPER_NAMES = new Set(["data", "result", "response", "payload", "content", "body"]);

const MAX_DEPTH = 8;
const MAX_ID_LENGTH = 1024;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A name as it is compared: case and separators do not count. */
export const normalized = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, "");

/** An id with a character that was no UTF-8 would be another one. */
const idOrNull = (value: string): string | null =>
  value.trim() !== "" && value.length <= MAX_ID_LENGTH && !value.includes("\uFFFD") ? value : null;

/** The id in a JSON scalar: a string, or a number with exactly its digits. */
export const idIn = (raw: string): string | null => {
  const value = raw.startsWith('"') || NUMBER.test(raw) ? scalarText(raw) : null;
  return value === null ? null : idOrNull(value);
};

const onlyOne = (ids: Iterable<string>): string | null => {
  const [id = null, ...rivals] = new Set(ids);
  return rivals.length > 0 ? null : id;
};

const idAt = (json: string, pointer: string): string | null => idIn(valueAt(json, pointer) ?? "");

/** Where a member stands: in the quote, in what is the whole answer, in a list, or elsewhere. */
type Place = "quote" | "whole" | "list" | "other";
type NamedId = { name: string; id: string; place: Place };

const placeIn = (place: Place, name: string): Place => {
  if (place === "list") return place;
  if (QUOTE_NAMES.has(name)) return "quote";
  return WRAPPER_NAMES.has(name) ? place : "other";
};

function* idsIn(raw: string, place: Place = "whole", depth = 0): Generator<NamedId> {
  if (depth > MAX_DEPTH) return;
  for (const element of elements(raw) ?? []) yield* idsIn(element, "list", depth + 1);
  for (const { key, raw: value } of members(raw) ?? []) {
    const name = normalized(key);
    const id = idIn(value);
    if (id !== null) yield { name, id, place };
    else yield* idsIn(value, placeIn(place, name), depth + 1);
  }
}

/** @param pointer the JSON pointer of the id; undefined for the one member of that name */
export const findTransactionId = (json: string, pointer: string | undefined): string | null => {
  if (pointer !== undefined) return idAt(json, pointer);
  return onlyOne([...idsIn(json)].flatMap(({ name, id }) => (name === "transactionid" ? [id] : [])));
};

/** @param pointer the JSON pointer of the id; undefined to search */
export const findQuoteId = (json: string, pointer: string | undefined): string | null => {
  if (pointer !== undefined) return idAt(json, pointer);
  const [only, ...others] = json.startsWith("[") ? (elements(json) ?? []) : [json];
  if (only === undefined || others.length > 0) return null;
  const ids = [...idsIn(only)].filter(({ place }) => place !== "list");
  const anyIds = ids.filter(({ name }) => ID_NAMES.has(name));
  const candidates = [
    ids.filter(({ name }) => QUOTE_ID_NAMES.has(name)),
    anyIds.filter(({ place }) => place === "quote"),
    anyIds.filter(({ place }) => place === "whole"),
  ];
  const surest = candidates.find(({ length }) => length > 0) ?? [];
  return onlyOne(surest.map(({ id }) => id));
};

/** A text that holds no digit is more likely a word, such as "created". */
const BARE_ID = /^(?=.*\d)[A-Za-z0-9][\w.~=+-]{0,127}$/;
/** Codes of success, rather than ids. */
const CODE = /^[01]$|^2\d\d$/;

/** The new quote's id where it is the whole answer to a create: a JSON string or number, or plain text. */
export const bareQuoteId = (text: string): string | null => {
  const id = idIn(text) ?? text;
  return BARE_ID.test(id) && !CODE.test(id) ? id : null;
};

const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/** The last path segment of a create's Location. One that ends like the request's path names all quotes. */
export const quoteIdOfLocation = (location: string, requestPath: string): string | null => {
  const last = segmentsOf(URL.parse(location, "http://partner")?.pathname ?? "").at(-1) ?? "";
  if (last === segmentsOf(requestPath).at(-1)) return null;
  return idOrNull(decodePercent(last) ?? "");
};
