import { Tokenizer, TokenType, type TokenizerOptions } from "@streamparser/json";
import { yieldToEventLoop } from "../runtime/event-loop.ts";

/** Callbacks of {@link readJson}. Each `at` is a byte offset from the beginning of the stream. */
export type JsonSink = {
  /**
   * The next bytes, before they are parsed. All callbacks until the next call of this one refer to offsets in
   * them.
   */
  bytes: (piece: Uint8Array, at: number) => void;
  /** The name of the member whose value follows. */
  name: (text: string) => void;
  open: (isArray: boolean, at: number) => void;
  /** `at` is the offset of the closing bracket. */
  close: (at: number) => void;
  scalar: (value: string | number | boolean | null, at: number) => void;
  comma: (at: number) => void;
};

/** Why an answer could not be read to its end; "unframed" is for CSV, which has no end mark of its own. */
export type JsonFault = "empty" | "invalid" | "endless" | "too deep" | "unframed";

/** The same in words, to follow "the answer". */
export const JSON_FAULTS = {
  empty: "is empty",
  invalid: "breaks off, or is not JSON",
  endless: "holds a string or number that is too long",
  "too deep": "is nested too deeply",
  unframed: "has neither Content-Length nor chunks: its end cannot be told from a lost connection",
} as const satisfies Record<JsonFault, string>;

/**
 * Parsing a piece takes about 0.25 ms. The event loop runs between two pieces, because a webhook needs about
 * eight turns of it.
 */
const PIECE_BYTES = 4_096;
const MAX_DEPTH = 128;
const BYTE_ORDER_MARK_START = 0xef;
const BYTE_ORDER_MARK_BYTES = 3;
const OPTIONS: TokenizerOptions = { stringBufferSize: PIECE_BYTES, numberBufferSize: 1024 };

const OPENING = new Set([TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET]);
const CLOSING = new Set([TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET]);
const SCALARS = new Set([
  TokenType.STRING,
  TokenType.NUMBER,
  TokenType.TRUE,
  TokenType.FALSE,
  TokenType.NULL,
]);

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end" | "nothing";

class JsonFaultError extends Error {
  readonly fault: JsonFault;
  constructor(fault: JsonFault) {
    super(fault);
    this.fault = fault;
  }
}

type Token = Parameters<Tokenizer["onToken"]>[0];

/** Checks the order of tokens, which the tokenizer does not, and calls the sink. */
const grammar = (sink: Omit<JsonSink, "bytes">, offsetOf: (token: Token) => number) => {
  /** For each open object or array, the outermost first: whether it is an array. */
  const around: boolean[] = [];
  let expected: Expected = "value";

  const ended = () => {
    expected = around.length === 0 ? "nothing" : "comma or end";
  };
  const open = (isArray: boolean, at: number) => {
    if (around.length === MAX_DEPTH) throw new JsonFaultError("too deep");
    around.push(isArray);
    expected = isArray ? "value or end" : "name or end";
    sink.open(isArray, at);
  };
  const close = (isArray: boolean, at: number) => {
    const empty = isArray ? "value or end" : "name or end";
    if ((expected !== "comma or end" && expected !== empty) || around.pop() !== isArray)
      throw new JsonFaultError("invalid");
    ended();
    sink.close(at);
  };

  const accept = (token: Token) => {
    const at = offsetOf(token);
    const isName = expected === "name" || expected === "name or end";
    const isValue = expected === "value" || expected === "value or end";
    if (CLOSING.has(token.token)) close(token.token === TokenType.RIGHT_BRACKET, at);
    else if (token.token === TokenType.COMMA && expected === "comma or end") {
      expected = around.at(-1) === true ? "value" : "name";
      sink.comma(at);
    } else if (token.token === TokenType.COLON && expected === "colon") expected = "value";
    else if (isName && token.token === TokenType.STRING) {
      expected = "colon";
      sink.name(String(token.value));
    } else if (isValue && OPENING.has(token.token)) open(token.token === TokenType.LEFT_BRACKET, at);
    else if (isValue && SCALARS.has(token.token)) {
      ended();
      sink.scalar(token.value, at);
    } else throw new JsonFaultError("invalid");
  };
  const end = (): JsonFault | null => {
    if (expected === "nothing") return null;
    return expected === "value" && around.length === 0 ? "empty" : "invalid";
  };
  return { accept, end };
};

/**
 * Parses a JSON text as a stream and calls the sink, in memory bounded by `maxTokenBytes`. Resolves with null
 * at the end of a valid text, otherwise with the fault. Rejects with what the stream or the sink throws.
 */
export const readJson = async (
  body: AsyncIterable<Uint8Array>,
  maxTokenBytes: number,
  sink: JsonSink,
): Promise<JsonFault | null> => {
  const tokenizer = new Tokenizer(OPTIONS);
  let bytes = 0;
  // The tokenizer's offsets do not count a byte order mark.
  let markBytes = 0;
  let bytesAtLastToken = 0;
  const thrown: unknown[] = [];
  const { accept, end } = grammar(sink, ({ offset }) => markBytes + offset);
  tokenizer.onToken = (token) => {
    bytesAtLastToken = bytes;
    try {
      accept(token);
    } catch (error) {
      thrown.push(error);
      throw error;
    }
  };
  /** An error that no callback threw is the tokenizer's own, or its UTF-8 decoder's: the text is invalid. */
  const tokenize = (work: () => void): JsonFault | null => {
    try {
      work();
      return null;
    } catch {
      if (thrown.length === 0) return "invalid";
      const [error] = thrown;
      if (error instanceof JsonFaultError) return error.fault;
      throw error;
    }
  };

  for await (const chunk of body)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      if (bytes === 0 && piece[0] === BYTE_ORDER_MARK_START) markBytes = BYTE_ORDER_MARK_BYTES;
      sink.bytes(piece, bytes);
      const fault = tokenize(() => {
        tokenizer.write(piece);
      });
      if (fault !== null) return fault;
      bytes += piece.length;
      if (bytes - bytesAtLastToken > maxTokenBytes + PIECE_BYTES) return "endless";
      await yieldToEventLoop();
    }
  const fault = tokenize(() => {
    tokenizer.end();
  });
  return fault ?? end();
};
