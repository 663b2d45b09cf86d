import { elements, members, stringOf } from "../runtime/json.ts";
import { readJson, type JsonFault } from "./json-stream.ts";
import type { AnswerHeaders } from "./pagination-hints.ts";
import { isCsv, readCsvEntries } from "./csv-entries.ts";

/** What occurs at one place of an answer: types and names, no values. */
type ShapeNode = {
  types: Set<string>;
  /** The lengths of the arrays at this place; null before one has ended. */
  lengths: { least: number; most: number } | null;
  members: Map<string, ShapeNode>;
  /** It has too many member names for an object with fields, so they are keys, and are not shown. */
  isMap: boolean;
};

const MAX_NAMES = 50;
const MAX_PLACES = 10_000;
/** How deep JSON within strings is parsed. */
const MAX_TEXT_DEPTH = 8;
const ANY_NAME = "<name>";
const ANY_ELEMENT = "*";
/** Names that are shown; others may be ids. */
const WORDS = /^[@$_]?[\p{L}_][\p{L}\d _.:-]*$/u;
const MAX_DIGITS = 3;
const MAX_NAME_LENGTH = 60;
const ID = /^[0-9a-f-]{16,}$/i;

const isShown = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH &&
  WORDS.test(name) &&
  !ID.test(name) &&
  name.replace(/\D/g, "").length <= MAX_DIGITS;

const createNode = (): ShapeNode => ({ types: new Set(), lengths: null, members: new Map(), isMap: false });

const typeOf = (value: unknown): string => (value === null ? "null" : typeof value);

/** Builds the tree of places. */
const shapeTree = () => {
  const root = createNode();
  let count = 1;

  const memberOf = (place: ShapeNode, name: string): ShapeNode => {
    const known = place.members.get(name);
    if (known !== undefined) return known;
    const created = createNode();
    // Beyond the limit a node is not added to the tree, and so not shown.
    if (count++ < MAX_PLACES) place.members.set(name, created);
    return created;
  };
  const named = (place: ShapeNode, key: string): ShapeNode => {
    const isNew = !place.members.has(key);
    if (isNew && !place.isMap && isShown(key) && place.members.size >= MAX_NAMES) {
      place.isMap = true;
      place.members.clear();
    }
    return memberOf(place, !place.isMap && isShown(key) ? key : ANY_NAME);
  };
  const arrayEnded = (place: ShapeNode, length: number) => {
    const { least, most } = place.lengths ?? { least: length, most: length };
    place.lengths = { least: Math.min(least, length), most: Math.max(most, length) };
  };

  /** Adds a JSON text at a place: the content of a string, or a CSV row. */
  const text = (place: ShapeNode, raw: string, depth: number) => {
    const object = members(raw);
    const array = object === null ? elements(raw) : null;
    if (object !== null) {
      place.types.add("object");
      for (const { key, raw: value } of object) ofValue(named(place, key), value, depth + 1);
    } else if (array !== null) {
      place.types.add("array");
      for (const value of array) ofValue(memberOf(place, ANY_ELEMENT), value, depth + 1);
      arrayEnded(place, array.length);
    }
  };
  const ofValue = (place: ShapeNode, raw: string, depth: number) => {
    if (raw.startsWith('"')) string(place, stringOf(raw), depth);
    else if (/^[[{]/.test(raw)) {
      if (depth < MAX_TEXT_DEPTH) text(place, raw, depth);
    } else place.types.add(typeOf(JSON.parse(raw)));
  };
  const string = (place: ShapeNode, value: string, depth: number) => {
    const isJson = depth < MAX_TEXT_DEPTH && /^\s*[[{]/.test(value);
    const holds = isJson && (members(value) ?? elements(value)) !== null;
    place.types.add(holds ? "string of JSON" : "string");
    if (holds) text(place, value, depth);
  };
  return {
    root,
    named,
    element: (place: ShapeNode) => memberOf(place, ANY_ELEMENT),
    arrayEnded,
    text,
    string,
  };
};

const describe = (place: ShapeNode, pointer: string): string[] => {
  const { lengths } = place;
  const length =
    lengths === null
      ? ""
      : lengths.least === lengths.most
        ? lengths.most
        : `${lengths.least} to ${lengths.most}`;
  const types = [...place.types].map((type) => (type === "array" && lengths ? `array of ${length}` : type));
  return [
    `${pointer === "" ? "(the answer)" : pointer}: ${types.join(" or ")}`,
    ...[...place.members].flatMap(([name, member]) => describe(member, `${pointer}/${name}`)),
  ];
};

/**
 * The form of an answer, with a line for each place: its JSON pointer, with `*` for the elements of an array,
 * and the types there. Contains no values, and no names that may be ids.
 */
export const readShape = async (
  body: AsyncIterable<Uint8Array>,
  headers: AnswerHeaders,
  maxTokenBytes: number,
): Promise<{ lines: string[]; fault: JsonFault | null }> => {
  const { root, named, element, arrayEnded, text, string } = shapeTree();
  const around: { place: ShapeNode; isArray: boolean; name: string; length: number }[] = [];
  const next = (): ShapeNode => {
    const frame = around.at(-1);
    if (frame === undefined) return root;
    frame.length++;
    return frame.isArray ? element(frame.place) : named(frame.place, frame.name);
  };

  let rows = 0;
  const fault = isCsv(headers)
    ? await readCsvEntries(
        body,
        { headers, maxElementBytes: maxTokenBytes },
        {
          element: (row) => {
            rows++;
            if (row !== null) text(element(root), row, 0);
          },
          arrayEnd: () => {
            root.types.add("array");
            arrayEnded(root, rows);
          },
        },
      )
    : await readJson(body, maxTokenBytes, {
        bytes: () => undefined,
        name: (name) => {
          const frame = around.at(-1);
          if (frame !== undefined) frame.name = name;
        },
        open: (isArray) => {
          const place = next();
          place.types.add(isArray ? "array" : "object");
          around.push({ place, isArray, name: "", length: 0 });
        },
        close: () => {
          const frame = around.pop();
          if (frame?.isArray === true) arrayEnded(frame.place, frame.length);
        },
        scalar: (value) => {
          const place = next();
          if (typeof value === "string") string(place, value, 0);
          else place.types.add(typeOf(value));
        },
        comma: () => undefined,
      });
  return { lines: root.types.size === 0 ? [] : describe(root, ""), fault };
};
