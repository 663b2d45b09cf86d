import { isUtf8 } from "node:buffer";
import { yieldToEventLoop } from "../runtime/event-loop.ts";
import { parseJson } from "../runtime/json.ts";
import { pointerNames } from "../runtime/json-pointer.ts";

export type SplitOptions = {
  /** JSON pointer to the array of entries; without it each array within the first three levels may be it. */
  logEntriesPointer?: string | undefined;
  /** A larger element is not kept. */
  maxEntryBytes: number;
  /** Gives every element of every array that may be it, for people to see. */
  takesAll?: boolean;
};

/** An entry: its text, or why there is none. */
export type EntryText = { text: string; detail?: never } | { text: null; detail: string };

/** Nothing of such an answer may count: what was handed on may lie in another array than that of the entries. */
export class SeveralArrays extends Error {
  override readonly message = "the answer holds several arrays of objects: set PARTNER_LOG_ENTRIES_POINTER";
}

type SplitAnswer = {
  /** Whether an array is that of the entries, or may be it, because it is empty. */
  hasArray: boolean;
  /** How many arrays hold entries: several only with `takesAll`. */
  arrays: number;
  entries: number;
  /** How many elements stand before the first object of the array, which shows that it holds the entries. */
  skipped: number;
  /** The answer, with 0 in place of the entries, and the number of elements in place of other arrays; null for no JSON. */
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

/** Bytes up to a bound; `length` counts those beyond it as well. */
type Bounded = { bytes: Buffer; length: number };
const bounded = (maxBytes: number): Bounded => ({ bytes: Buffer.allocUnsafe(maxBytes), length: 0 });
const append = (to: Bounded, from: Buffer, start = 0, end = from.length): void => {
  // A copy ends where the target ends.
  from.copy(to.bytes, to.length, start, end);
  to.length += end - start;
};

const isPlain = (byte: number | undefined): boolean =>
  byte !== undefined && byte !== QUOTE && byte !== BACKSLASH;

const entryOf = ({ bytes, length }: Bounded): EntryText => {
  if (length > bytes.length) return { text: null, detail: "larger than an entry may be" };
  const entry = bytes.subarray(0, length);
  if (!isUtf8(entry)) return { text: null, detail: "bytes that are no UTF-8" };
  return { text: entry.toString("utf8").trim() };
};

/**
 * Streams the elements of the array at the pointer, or of the root or the one array of objects, keeping one at a time.
 * It counts brackets and knows strings, no more: a fault costs one element. Rejects with the stream's error, or with
 * SeveralArrays. @param pause what to wait for after each piece
 */
export const splitAnswer = async (
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { logEntriesPointer, maxEntryBytes, takesAll = false }: SplitOptions,
  onEntry: (entry: EntryText) => void,
  pause: () => Promise<void> = yieldToEventLoop,
): Promise<SplitAnswer> => {
  const pointer = logEntriesPointer === undefined ? null : pointerNames(logEntriesPointer);
  const frame = bounded(MAX_FRAME_BYTES);
  const element = bounded(maxEntryBytes);
  /** The names of the members, and the indexes, that lead to where the frame is. */
  const path: (string | number)[] = [];
  let hasEmptyArray = false;
  let arrays = 0;
  let entries = 0;
  let skipped = 0;
  let inString = false;
  let isEscaped = false;
  /** Where the last string of the frame begins. */
  let stringStart = 0;
  /** How many brackets are open within the current array, itself included; 0 outside of arrays. */
  let depth = 0;
  let elements = 0;
  let isInElement = false;
  let mayHoldEntries = false;
  let isEntriesArray = false;

  const isOnPointer = (): boolean => path.every((name, index) => String(name) === pointer?.[index]);
  const openArray = (): void => {
    if (pointer !== null && path.length < pointer.length && isOnPointer()) {
      path.push(0);
      return;
    }
    depth = 1;
    elements = 0;
    isEntriesArray = false;
    mayHoldEntries =
      pointer === null ? path.length <= MAX_LEVELS : path.length === pointer.length && isOnPointer();
  };
  const beginElement = (byte: number): void => {
    isInElement = true;
    const isLikeEntry = pointer !== null || path.length === 0 || byte === OPEN_OBJECT;
    if (isEntriesArray || !mayHoldEntries || !isLikeEntry) return;
    if (arrays > 0 && !takesAll) throw new SeveralArrays();
    isEntriesArray = true;
    arrays += 1;
    if (!takesAll) skipped = entries = elements;
  };
  const endElement = (): void => {
    elements += 1;
    if (isEntriesArray || (takesAll && mayHoldEntries)) {
      entries += 1;
      onEntry(entryOf(element));
    }
    element.length = 0;
    isInElement = false;
  };
  const closeArray = (byte: number): void => {
    hasEmptyArray ||= elements === 0 && mayHoldEntries;
    // The spaces keep invalid text around it from becoming one number with it.
    append(frame, Buffer.from(byte === CLOSE_ARRAY ? ` ${isEntriesArray ? 0 : elements} ` : "[}"));
  };

  /** Takes a byte outside of arrays and strings. */
  const scanFrame = (byte: number, piece: Buffer, index: number): void => {
    const last = path.length - 1;
    const name = path[last];
    if (byte === COLON && typeof name === "string" && frame.bytes[stringStart] === QUOTE) {
      path[last] = String(parseJson(frame.bytes.toString("utf8", stringStart, frame.length)));
      // Further colons, which are no JSON, cost nothing.
      stringStart = frame.length;
    }
    if (byte === COMMA && typeof name === "number") path[last] = name + 1;
    if (byte === QUOTE) stringStart = frame.length;
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) path.pop();
    if (byte === OPEN_OBJECT) path.push("");
    if (byte === OPEN_ARRAY) openArray();
    if (depth === 0) append(frame, piece, index, index + 1);
  };

  const scan = (piece: Buffer): void => {
    /** Where the bytes of the current element begin in this piece. */
    let start = 0;
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index] ?? 0;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
        // Most bytes of a log stand within strings.
        else if (depth > 0) while (isPlain(piece[index + 1])) index++;
        if (depth === 0) append(frame, piece, index, index + 1);
        continue;
      }
      inString = byte === QUOTE;
      if (depth === 0) {
        scanFrame(byte, piece, index);
        continue;
      }
      if (depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY)) {
        if (isInElement) append(element, piece, start, index);
        if (isInElement || byte === COMMA) endElement();
      } else if (!isInElement && byte > SPACE) {
        start = index;
        beginElement(byte);
      }
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
      if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
      if (depth === 0) closeArray(byte);
    }
    if (isInElement) append(element, piece, start);
  };

  const summary = (json: unknown, fault: SplitAnswer["fault"]): SplitAnswer => ({
    hasArray: entries > 0 || hasEmptyArray,
    arrays,
    entries,
    skipped,
    frame: json,
    fault,
  });
  for await (const chunk of body)
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      const bytes = Math.min(PIECE_BYTES, chunk.length - start);
      scan(Buffer.from(chunk.buffer, chunk.byteOffset + start, bytes));
      if (frame.length > MAX_FRAME_BYTES)
        return summary(null, "is nested too deeply, or holds too much beside its arrays");
      await pause();
    }
  try {
    // Nothing in the frame shows an array that was not closed.
    const text = depth > 0 ? "" : new TextDecoder().decode(frame.bytes.subarray(0, frame.length));
    return summary(JSON.parse(text) as unknown, null);
  } catch {
    return summary(null, "breaks off, or is not JSON");
  }
};
