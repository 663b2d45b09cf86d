import { scalarText, valuesAt } from "../../runtime/json-pointer.ts";
import { elements, members } from "../../runtime/json.ts";

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

/** The id at a JSON pointer; null if a name on the path is repeated. */
const follow = (text: string, pointer: string): string | null => {
  const [only, ...others] = valuesAt(text, pointer);
  return only === undefined || others.length > 0 ? null : idIn(only);
};

/** Candidates, surest first: by their own name, the id of a quote object, the id of the whole answer. */
type Finds = [Set<string>, Set<string>, Set<string>];

const search = (raw: string, place: "quote" | "whole" | "other", depth: number, finds: Finds): void => {
  if (depth > MAX_DEPTH) return;
  for (const { key, raw: value } of members(raw) ?? []) {
    const name = normalized(key);
    const id = idIn(value);
    if (id !== null) {
      if (QUOTE_ID_NAMES.has(name)) finds[0].add(id);
      else if (ID_NAMES.has(name) && place !== "other") finds[place === "quote" ? 1 : 2].add(id);
    } else if (value.startsWith("{")) {
      const wraps = place !== "other" && WRAPPER_NAMES.has(name);
      search(value, QUOTE_NAMES.has(name) ? "quote" : wraps ? place : "other", depth + 1, finds);
    }
  }
};

/** Adds the scalars of all members of one name. */
const searchNamed = (raw: string, name: string, depth: number, found: Set<string>): void => {
  if (depth > MAX_DEPTH) return;
  for (const value of elements(raw) ?? []) searchNamed(value, name, depth + 1, found);
  for (const { key, raw: value } of members(raw) ?? []) {
    const id = normalized(key) === name ? idIn(value) : null;
    if (id !== null) found.add(id);
    searchNamed(value, name, depth + 1, found);
  }
};

/**
 * Finds the transaction that an accept began in its answer, whose form is not documented either.
 * @param pointer the JSON pointer of the id; null for the one member of that name
 * @returns null if the id is absent, or several values compete
 */
export const findTransactionId = (json: string, pointer: string | null): string | null => {
  if (pointer !== null) return follow(json, pointer);
  const found = new Set<string>();
  searchNamed(json, "transactionid", 0, found);
  const [id, ...rivals] = found;
  return rivals.length > 0 ? null : (id ?? null);
};

/**
 * Finds the new quote's id in the answer to a create. The form of the answer is not documented, so names are
 * tried, the surest first; if several values compete, none is taken.
 * @param pointer the JSON pointer of the id; null to search
 * @returns null if the id is absent or ambiguous
 */
export const findQuoteId = (json: string, pointer: string | null): string | null => {
  if (pointer !== null) return follow(json, pointer);
  const [only, ...others] = json.startsWith("[") ? (elements(json) ?? []) : [json];
  if (only === undefined || others.length > 0) return null;
  const finds: Finds = [new Set(), new Set(), new Set()];
  search(only, "whole", 0, finds);
  const [id, ...rivals] = finds.find((found) => found.size > 0) ?? [];
  return rivals.length > 0 ? null : (id ?? null);
};

/** A text that holds no digit is more likely a word, such as "created". */
const BARE_ID = /^(?=.*\d)[A-Za-z0-9][\w.~=+-]{0,127}$/;
/** Codes of success, rather than ids. */
const CODE = /^[01]$|^2\d\d$/;

/**
 * The new quote's id where it is the whole answer to a create: a JSON string or number, or plain text.
 * @returns null where it may be anything else
 */
export const bareQuoteId = (text: string): string | null => {
  const id = idIn(text) ?? text;
  return BARE_ID.test(id) && !CODE.test(id) ? id : null;
};

const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/**
 * The new quote's id by the Location of the answer to a create: its last path segment.
 * @param requestPath of the create: a Location that ends like it names all quotes
 */
export const quoteIdOfLocation = (location: string, requestPath: string): string | null => {
  const base = "http://partner";
  if (!URL.canParse(location, base)) return null;
  const last = segmentsOf(new URL(location, base).pathname).at(-1) ?? "";
  if (last === segmentsOf(requestPath).at(-1)) return null;
  try {
    return idOrNull(decodeURIComponent(last));
  } catch {
    return null;
  }
};
