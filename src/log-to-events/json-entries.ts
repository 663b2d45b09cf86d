import { pointerNames } from "../runtime/json-pointer.ts";
import { readJson, type JsonFault, type JsonSink } from "./json-stream.ts";

export type EntriesOptions = {
  /** JSON pointer to the array of entries; null: every array that is not inside another one is tried. */
  entriesPointer: string | null;
  /** A larger element is handed on as null. */
  maxElementBytes: number;
};

export type EntriesSink = {
  /** An element of an array that may hold entries: its text as in the answer; null when it is too large. */
  element: (text: string | null) => void;
  /**
   * The end of such an array, perhaps an empty one; `name` is its member name, or "". `depth` is how many
   * objects and arrays are around it.
   */
  arrayEnd: (name: string, depth: number) => void;
  /** The end of an array that the pointer does not lead to, and that is not inside another one. */
  otherArrayEnd: (name: string, elements: number, depth: number) => void;
  /** A member outside all arrays, with the name of the object around it. `depth` is 1 for one of the root. */
  member: (name: string, value: string | number | boolean | null, parent: string, depth: number) => void;
};

/** An open object or array that is not within an array of entries. */
type Frame = {
  isArray: boolean;
  /** Its member name, or its index in an array. */
  name: string;
  /** The name of the current member, for an object. */
  member: string;
  /** How many elements have begun, for an array. */
  elements: number;
  /** Whether the pointer leads to it or through it. */
  onPath: boolean;
  /** Whether it is inside an array. */
  inArray: boolean;
};

/** Collects the bytes of the current element, which may arrive in several pieces. */
const elementBytes = (maxBytes: number) => {
  let piece: Uint8Array = new Uint8Array();
  let pieceAt = 0;
  let begin: number | null = null;
  let held: Uint8Array[] = [];

  const fromBegin = (end: number): Uint8Array =>
    piece.subarray(Math.max((begin ?? 0) - pieceAt, 0), end - pieceAt);
  const isTooLarge = (end: number): boolean => begin !== null && end - begin > maxBytes;
  return {
    next: (bytes: Uint8Array, at: number) => {
      const end = pieceAt + piece.length;
      if (isTooLarge(end)) held = [];
      else if (begin !== null) held.push(fromBegin(end));
      piece = bytes;
      pieceAt = at;
    },
    begin: (at: number) => {
      begin = at;
    },
    /**
     * The text of the element that ends before `end`; null when it is too large, undefined when no element
     * has begun.
     */
    end: (end: number): string | null | undefined => {
      if (begin === null) return undefined;
      const last = fromBegin(end);
      const text = isTooLarge(end)
        ? null
        : held.length === 0
          ? Buffer.from(last.buffer, last.byteOffset, last.length).toString("utf8")
          : Buffer.concat([...held, last]).toString("utf8");
      begin = null;
      held = [];
      return text;
    },
  };
};

/**
 * Finds the arrays that may hold entries in a JSON answer of unknown form, and hands their elements to the
 * sink. Resolves and rejects as {@link readJson}.
 */
export const readJsonEntries = (
  body: AsyncIterable<Uint8Array>,
  { entriesPointer, maxElementBytes }: EntriesOptions,
  sink: EntriesSink,
): Promise<JsonFault | null> => {
  const path = entriesPointer === null ? null : pointerNames(entriesPointer);
  const frames: Frame[] = [];
  const element = elementBytes(maxElementBytes);
  /**
   * How many objects and arrays are open, counted from the array of entries, which is 1; 0 outside such an
   * array.
   */
  let depth = 0;
  let arrayName = "";

  const endElement = (at: number) => {
    const text = element.end(at);
    if (text !== undefined) sink.element(text);
  };
  /** The frame of a value that begins outside the arrays of entries. */
  const beginValue = (isArray: boolean): Frame => {
    const around = frames.at(-1);
    const name = around === undefined ? "" : around.isArray ? String(around.elements++) : around.member;
    const onPath = around === undefined || (around.onPath && path?.[frames.length - 1] === name);
    const inArray = around !== undefined && (around.isArray || around.inArray);
    return { isArray, name, member: "", elements: 0, onPath, inArray };
  };
  const holdsEntries = ({ isArray, onPath }: Frame): boolean =>
    isArray && (path === null || (onPath && path.length === frames.length));

  const json: JsonSink = {
    bytes: element.next,
    name: (text) => {
      const frame = frames.at(-1);
      if (depth === 0 && frame !== undefined) frame.member = text;
    },
    open: (isArray, at) => {
      if (depth > 0) {
        if (depth === 1) element.begin(at);
        depth++;
        return;
      }
      const frame = beginValue(isArray);
      if (holdsEntries(frame)) {
        depth = 1;
        arrayName = frame.name;
      } else frames.push(frame);
    },
    close: (at) => {
      if (depth === 1) {
        endElement(at);
        sink.arrayEnd(arrayName, frames.length);
      }
      if (depth > 0) {
        depth--;
        return;
      }
      const frame = frames.pop();
      if (frame?.isArray === true && !frame.inArray)
        sink.otherArrayEnd(frame.name, frame.elements, frames.length);
    },
    scalar: (value, at) => {
      if (depth === 1) element.begin(at);
      if (depth > 0) return;
      const around = frames.at(-1);
      beginValue(false);
      if (around !== undefined && !around.isArray && !around.inArray)
        sink.member(around.member, value, around.name, frames.length);
    },
    comma: (at) => {
      if (depth === 1) endElement(at);
    },
  };
  return readJson(body, maxElementBytes, json);
};
