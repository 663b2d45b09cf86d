import type { Socket } from "node:net";

/** Limit of what is held back before the final status line; beyond it, everything goes to the parser as it is. */
const MAX_HELD_BYTES = 8 * 1024;
const NOTHING = Buffer.alloc(0);

const STATUS_LINE = /HTTP\/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?\r?\n/y;
const BLANK_LINE = /\r?\n\r?\n/g;

const findFrom = (expression: RegExp, text: string, from: number): RegExpExecArray | null => {
  expression.lastIndex = from;
  return expression.exec(text);
};

type Feed = (chunk: Buffer) => Buffer;

/**
 * The status line alone is evidence of what the partner did, but the parser reports it only after well-formed headers,
 * and fails on a 100 that was not requested.
 */
export const headReader = () => {
  let held: Buffer = NOTHING;
  let status: number | null = null;
  let passing = false;

  return {
    /** Takes bytes as they arrive, and returns those for the HTTP parser: everything from the final status line on. */
    feed: (chunk: Buffer): Buffer => {
      if (passing) return chunk;
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const text = held.toString("latin1");
      // Where the next answer begins: a chunk may hold thousands of informational ones.
      let start = 0;
      for (;;) {
        const line = findFrom(STATUS_LINE, text, start);
        const code = Number(line?.[1]);
        if (code >= 200) status = code;
        const end = code < 200 && code !== 101 ? findFrom(BLANK_LINE, text, start) : null;
        if (end === null) {
          held = held.subarray(start);
          const isFinal = code >= 200 || code === 101 || (line === null && text.indexOf("\n", start) >= 0);
          passing = isFinal || held.length > MAX_HELD_BYTES;
          return passing ? held : NOTHING;
        }
        start = end.index + end[0].length;
      }
    },
    /** The final status, once its line is complete. */
    status: (): number | null => status,
  };
};

/** Passes every chunk that is read from the socket through the `feed` that was set last. */
export const readAhead = (socket: Socket): ((feed: Feed) => void) => {
  let feed: Feed = (chunk) => chunk;
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return chunk;
      const fed = feed(chunk);
      if (fed.length > 0) return fed;
    }
  };
  return (next) => (feed = next);
};
