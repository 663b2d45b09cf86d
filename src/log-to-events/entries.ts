import { pointerNames } from "../runtime/json-pointer.ts";
import { readJson, type JsonFault, type JsonSink } from "./json-stream.ts";

export type EntriesOptions = {
  /** JSON pointer to the one array that holds the entries; null: every array that is not inside of another one may. */
  entriesPointer: string | null;
  /** A larger element is not kept. */
  maxElementBytes: number;
};

export type EntriesSink = {
  /** An element of an array that may hold entries: its text, as it stands in the answer; null where it is too large. */
  element: (text: string | null) => void;
  /** The array whose elements were told last has ended, maybe without any; the name of the member that it is, or "". */
  arrayEnd: (name: string) => void;
  /** A member outside of all arrays, with the name of the object around it. */
  member: (name: string, value: string | number | boolean | null, parent: string) => void;
};

/** An object or array around, outside of those that may hold entries. */
type Frame = {
  isArray: boolean;
  /** The name by which it is a member of the object around it. */
  name: string;
  /** The name of the member that is read, and how many elements of an array were begun. */
  member: string;
  elements: number;
  /** Whether the pointer leads to it or through it; and whether an array is around it. */
  onPath: boolean;
  inArray: boolean;
};

/** Keeps the bytes of the element that is read, while they come in pieces. */
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
    /** The text of the element that ends before `end`; null when it is too large, undefined when there is none. */
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

/** Finds the arrays that may hold entries in an answer of unknown form, and tells their elements. See {@link readJson}. */
export const readEntries = (
  body: AsyncIterable<Uint8Array>,
  { entriesPointer, maxElementBytes }: EntriesOptions,
  sink: EntriesSink,
): Promise<JsonFault | null> => {
  const path = entriesPointer === null ? null : pointerNames(entriesPointer);
  const frames: Frame[] = [];
  const element = elementBytes(maxElementBytes);
  /** How many objects and arrays are open from the array of entries on, with it; 0 outside. */
  let depth = 0;
  let arrayName = "";

  const endElement = (at: number) => {
    const text = element.end(at);
    if (text !== undefined) sink.element(text);
  };
  /** A value begins outside of arrays of entries. */
  const begun = (isArray: boolean): Frame => {
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
      const frame = begun(isArray);
      if (holdsEntries(frame)) {
        depth = 1;
        arrayName = frame.name;
      } else frames.push(frame);
    },
    close: (at) => {
      if (depth === 1) {
        endElement(at);
        sink.arrayEnd(arrayName);
      }
      if (depth > 0) depth--;
      else frames.pop();
    },
    scalar: (value, at) => {
      if (depth === 1) element.begin(at);
      if (depth > 0) return;
      const around = frames.at(-1);
      begun(false);
      if (around !== undefined && !around.isArray && !around.inArray)
        sink.member(around.member, value, around.name);
    },
    comma: (at) => {
      if (depth === 1) endElement(at);
    },
  };
  return readJson(body, maxElementBytes, json);
};
