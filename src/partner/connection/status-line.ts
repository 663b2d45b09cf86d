import type { Socket } from "node:net";

/**
 * Limit of what is held back before the final status line; beyond it, everything goes to the parser as it is.
 */
const MAX_HELD_BYTES = 8 * 1024;
const NOTHING = Buffer.alloc(0);

const STATUS_LINE = /^HTTP\/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?\r?\n/;
const BLANK_LINE = /\r?\n\r?\n/;

export type HeadReader = {
  /**
   * Takes bytes as they arrive, and returns those for the HTTP parser: everything from the final status line
   * on.
   */
  feed: (chunk: Buffer) => Buffer;
  /** The final status, once its line is complete. */
  status: () => number | null;
};

/**
 * Reads the status line ahead of the HTTP parser, for two reasons: it alone is evidence of what the partner
 * did, but the parser reports it only once all headers have arrived and are well-formed; and the parser fails
 * on a 100 that was not requested, although informational answers mean nothing.
 */
export const headReader = (): HeadReader => {
  let held: Buffer = NOTHING;
  let status: number | null = null;
  let passing = false;

  const pass = (): Buffer => {
    passing = true;
    return held;
  };

  return {
    feed: (chunk) => {
      if (passing) return chunk;
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (;;) {
        const text = held.toString("latin1");
        const line = STATUS_LINE.exec(text);
        if (line === null) return text.includes("\n") || text.length > MAX_HELD_BYTES ? pass() : NOTHING;
        const code = Number(line[1]);
        if (code >= 200) status = code;
        if (code >= 200 || code === 101) return pass();
        const end = BLANK_LINE.exec(text);
        if (end === null) return text.length > MAX_HELD_BYTES ? pass() : NOTHING;
        held = held.subarray(end.index + end[0].length);
      }
    },
    status: () => status,
  };
};

/** Passes every chunk that is read from the socket through the `feed` that was set last. */
export const readAhead = (socket: Socket): ((feed: HeadReader["feed"]) => void) => {
  let feed: HeadReader["feed"] = (chunk) => chunk;
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
