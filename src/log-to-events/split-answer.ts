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

/** An array of the answer. The reader of its elements counts what they are. */
export class AnswerArray {
  elements = 0;
  objects = 0;
  otherType = 0;
  unreadable = 0;
  readonly details = new Set<string>();
  /** The names of the members that lead to it; none for the root. */
  readonly path: readonly string[];
  /** Whether its elements may be the entries: only then they are handed on. */
  readonly isCandidate: boolean;
  constructor(path: readonly string[], isCandidate: boolean) {
    this.path = path;
    this.isCandidate = isCandidate;
  }
}

type SplitAnswer = {
  arrays: AnswerArray[];
  /** The answer without the elements of its arrays; null when that is no JSON. */
  frame: unknown;
  /** Why the answer could not be read to its end. */
  fault: "breaks off, or is not JSON" | "is nested too deeply, or holds too much beside its arrays" | null;
};

/** An array of entries may lie within so many objects. */
const MAX_LEVELS = 3;
const MAX_FRAME_BYTES = 262_144;
/** After a piece of this size other work of the process has its turn: its entries take less than a millisecond. */
const PIECE_BYTES = 8_192;

const [SPACE, QUOTE, BACKSLASH, COMMA, COLON] = [0x20, 0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the index of the next quote or backslash: most bytes of a log stand within strings. */
const nextInString = (piece: Uint8Array, start: number): number => {
  let index = start;
  while (index < piece.length && piece[index] !== QUOTE && piece[index] !== BACKSLASH) index++;
  return index;
};

/** An object or array around the arrays of entries; `name` is that of its current member, or an index. */
type Enclosure = { isArray: boolean; name: string };

/**
 * Splits a JSON answer as a stream into the elements of its arrays, in memory bounded by the largest element. Counts
 * brackets and knows strings, no more: what is wrong in one element costs that element. Rejects with the stream.
 * @param pause what to wait for after each piece
 */
export const splitAnswer = async (
  body: AsyncIterable<Uint8Array>,
  { entriesPointer, maxEntryBytes }: SplitOptions,
  onElement: (element: Element, array: AnswerArray) => void,
  pause: () => Promise<void> = yieldToEventLoop,
): Promise<SplitAnswer> => {
  const path = entriesPointer === null ? null : pointerNames(entriesPointer);
  const arrays: AnswerArray[] = [];
  /** The bytes outside of the arrays' elements. */
  const frame: number[] = [];
  const enclosures: Enclosure[] = [];
  let inString = false;
  let isEscaped = false;
  let stringStart = 0;
  /** How many brackets are open within the current array, itself included; 0 outside of arrays. */
  let depth = 0;
  let array = new AnswerArray([], false);
  /** The bytes of the current element, but for those in the current piece; null when none has begun. */
  let chunks: Uint8Array[] | null = null;
  let bytesInChunks = 0;

  const endElement = (piece: Uint8Array, start: number, end: number): void => {
    const isTooLarge = bytesInChunks + end - start > maxEntryBytes;
    const last = Buffer.from(piece.buffer, piece.byteOffset + start, end - start);
    const bytes = chunks && chunks.length > 0 ? Buffer.concat([...chunks, last]) : last;
    chunks = null;
    bytesInChunks = 0;
    array.elements += 1;
    if (!array.isCandidate) return;
    if (isTooLarge) onElement({ text: null, detail: "larger than an entry may be" }, array);
    else if (isUtf8(bytes)) onElement({ text: bytes.toString("utf8").trim() }, array);
    else onElement({ text: null, detail: "bytes that are no UTF-8" }, array);
  };

  const isOnPath = (): boolean =>
    path !== null &&
    enclosures.length <= path.length &&
    enclosures.every(({ name }, index) => name === path[index]);
  const isCandidate = (): boolean =>
    path === null ? enclosures.length <= MAX_LEVELS : enclosures.length === path.length && isOnPath();

  /** Takes a byte outside of strings and of arrays' elements. */
  const scanFrame = (byte: number): void => {
    const innermost = enclosures.at(-1);
    if (byte === COLON && innermost && frame[stringStart] === QUOTE) {
      innermost.name = String(parseJson(Buffer.from(frame.slice(stringStart)).toString("utf8")));
      // Further colons, which are no JSON, cost nothing.
      stringStart = frame.length;
    }
    if (byte === COMMA && innermost?.isArray) innermost.name = String(Number(innermost.name) + 1);
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) enclosures.pop();
    if (byte === OPEN_OBJECT) enclosures.push({ isArray: false, name: "" });
    if (byte === OPEN_ARRAY) {
      // A pointer may lead through an array.
      if (!isCandidate() && isOnPath()) enclosures.push({ isArray: true, name: "0" });
      else {
        depth = 1;
        array = new AnswerArray(
          enclosures.map(({ name }) => name),
          isCandidate(),
        );
        arrays.push(array);
      }
    }
    if (byte === QUOTE) stringStart = frame.length;
    frame.push(byte);
  };

  const scan = (piece: Uint8Array): void => {
    /** Where the current element begins in this piece. */
    let start = 0;
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index] ?? 0;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
        else if (depth > 0) index = nextInString(piece, index + 1) - 1;
        if (depth === 0) frame.push(byte);
        continue;
      }
      inString = byte === QUOTE;
      if (depth === 0) {
        scanFrame(byte);
        continue;
      }
      const isEnd = depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY);
      if (isEnd) {
        if (chunks !== null || byte === COMMA) endElement(piece, chunks === null ? index : start, index);
      } else if (chunks === null && byte > SPACE) {
        chunks = [];
        start = index;
      }
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
      if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
      if (depth === 0) frame.push(byte);
    }
    if (chunks === null) return;
    bytesInChunks += piece.length - start;
    if (bytesInChunks > maxEntryBytes || !array.isCandidate) chunks = [];
    else chunks.push(piece.slice(start));
  };

  for await (const chunk of body)
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      scan(chunk.subarray(start, start + PIECE_BYTES));
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
