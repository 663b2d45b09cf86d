import { isUtf8 } from "node:buffer";
import { yieldToEventLoop } from "../runtime/event-loop.ts";
import { parseJson } from "../runtime/json-object.ts";
import { pointerNames } from "../runtime/json-pointer.ts";

export type SplitOptions = {
  /** JSON pointer to the array of entries; null: each array within the first three levels may be it. */
  entriesPointer: string | null;
  /** A larger element is not kept. */
  maxEntryBytes: number;
};

/** An element of an array: its text, or why there is none. */
export type Element = { text: string; detail?: never } | { text: null; detail: string };

/** An array that may hold the entries, and what the reader of its elements finds them to be. */
export class FoundArray {
  elements = 0;
  objects = 0;
  otherType = 0;
  unreadable = 0;
  readonly details = new Set<string>();
  /** Of the member that holds it; null for the root. */
  readonly name: string | null;
  constructor(name: string | null) {
    this.name = name;
  }
}

export type SplitAnswer = {
  arrays: FoundArray[];
  /** The answer without the elements of its arrays; null when that is no JSON. */
  frame: unknown;
  /** Why the answer could not be read to its end. */
  fault: "breaks off, or is not JSON" | "is nested too deeply, or holds too much beside its arrays" | null;
};

/** An array may lie within so many objects. */
const MAX_LEVELS = 3;
const MAX_FRAME_BYTES = 262_144;
/** After a piece other work of the process has its turn: its entries take less than a millisecond. */
const PIECE_BYTES = 8_192;

const [SPACE, QUOTE, BACKSLASH, COMMA, COLON] = [0x20, 0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where the next quote or backslash is: most bytes of a log stand within strings. */
const nextInString = (piece: Uint8Array, from: number): number => {
  let at = from;
  while (at < piece.length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at++;
  return at;
};

/** An object or array around the arrays of entries; `name` is that of its current member, or an index. */
type Around = { isArray: boolean; name: string };

/**
 * Splits a JSON answer as a stream into the elements of its arrays, in memory bounded by the largest element. Counts
 * brackets and knows strings, no more: what is wrong in one element costs that element. Rejects with the stream.
 * @param pause what to wait for after each piece
 */
export const splitAnswer = async (
  body: AsyncIterable<Uint8Array>,
  { entriesPointer, maxEntryBytes }: SplitOptions,
  take: (element: Element, array: FoundArray) => void,
  pause: () => Promise<void> = yieldToEventLoop,
): Promise<SplitAnswer> => {
  const path = entriesPointer === null ? null : pointerNames(entriesPointer);
  const arrays: FoundArray[] = [];
  /** The bytes outside of the arrays' elements. */
  const frame: number[] = [];
  const around: Around[] = [];
  let inString = false;
  let isEscaped = false;
  let stringAt = 0;
  /** How many brackets are open within the array under way, itself included; 0 outside of arrays. */
  let depth = 0;
  /** Null while the array under way holds no entries. */
  let array: FoundArray | null = null;
  /** The bytes of the element under way, but for those in the current piece; null when none has begun. */
  let held: Uint8Array[] | null = null;
  let heldBytes = 0;

  const endElement = (piece: Uint8Array, from: number, to: number): void => {
    if (array === null) return;
    const isTooLarge = heldBytes + to - from > maxEntryBytes;
    const last = Buffer.from(piece.buffer, piece.byteOffset + from, to - from);
    const bytes = held && held.length > 0 ? Buffer.concat([...held, last]) : last;
    held = null;
    heldBytes = 0;
    array.elements += 1;
    if (isTooLarge) take({ text: null, detail: "larger than an entry may be" }, array);
    else if (isUtf8(bytes)) take({ text: bytes.toString("utf8").trim() }, array);
    else take({ text: null, detail: "bytes that are no UTF-8" }, array);
  };

  const isOnPath = (): boolean =>
    path !== null && around.length <= path.length && around.every(({ name }, at) => name === path[at]);
  const holdsEntries = (): boolean =>
    path === null ? around.length <= MAX_LEVELS : around.length === path.length && isOnPath();

  /** A byte outside of arrays' elements and strings. */
  const outside = (byte: number): void => {
    const inner = around.at(-1);
    if (byte === COLON && inner && frame[stringAt] === QUOTE) {
      inner.name = String(parseJson(Buffer.from(frame.slice(stringAt)).toString("utf8")));
      // Further colons, which are no JSON, cost nothing.
      stringAt = frame.length;
    }
    if (byte === COMMA && inner?.isArray) inner.name = String(Number(inner.name) + 1);
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) around.pop();
    if (byte === OPEN_OBJECT) around.push({ isArray: false, name: "" });
    if (byte === OPEN_ARRAY) {
      const holds = holdsEntries();
      // A pointer may lead through an array.
      if (!holds && isOnPath()) around.push({ isArray: true, name: "0" });
      else {
        depth = 1;
        array = holds ? new FoundArray(inner?.name ?? null) : null;
        if (array) arrays.push(array);
      }
    }
    if (byte === QUOTE) stringAt = frame.length;
    frame.push(byte);
  };

  const scan = (piece: Uint8Array): void => {
    /** Where the element under way begins in this piece. */
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
        else if (depth > 0) at = nextInString(piece, at + 1) - 1;
        if (depth === 0) frame.push(byte);
        continue;
      }
      inString = byte === QUOTE;
      if (depth === 0) {
        outside(byte);
        continue;
      }
      const isEnd = depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY);
      if (isEnd) {
        if (held !== null || byte === COMMA) endElement(piece, held === null ? at : from, at);
      } else if (held === null && array !== null && byte > SPACE) {
        held = [];
        from = at;
      }
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
      if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
      if (depth === 0) frame.push(byte);
    }
    if (held === null) return;
    heldBytes += piece.length - from;
    if (heldBytes > maxEntryBytes) held = [];
    else held.push(piece.slice(from));
  };

  for await (const chunk of body)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      scan(chunk.subarray(at, at + PIECE_BYTES));
      if (frame.length > MAX_FRAME_BYTES)
        return { arrays, frame: null, fault: "is nested too deeply, or holds too much beside its arrays" };
      await pause();
    }
  try {
    const text = new TextDecoder().decode(Uint8Array.from(frame));
    return { arrays, frame: JSON.parse(text) as unknown, fault: null };
  } catch {
    return { arrays, frame: null, fault: "breaks off, or is not JSON" };
  }
};
