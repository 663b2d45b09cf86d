import type { Socket } from "node:net";

/** An answer whose status line is further down than this has none. */
const MAX_HEAD_LENGTH = 64 * 1024;

const STATUS_LINE = /^HTTP\/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?\r?\n/;
const BLANK_LINE = /\r?\n\r?\n/;

/**
 * Reads the status of the final answer from the bytes of a connection, informational answers skipped. The HTTP parser tells it only
 * when all headers have arrived and are well-formed, but the status line alone says what the partner did.
 */
export const statusLineReader = (): { see: (chunk: Buffer) => void; status: () => number | null } => {
  let text = "";
  let status: number | null = null;
  return {
    see: (chunk) => {
      if (status !== null || text.length > MAX_HEAD_LENGTH) return;
      text += chunk.toString("latin1");
      for (let line = STATUS_LINE.exec(text); line !== null; line = STATUS_LINE.exec(text)) {
        if (Number(line[1]) >= 200) {
          status = Number(line[1]);
          return;
        }
        const end = BLANK_LINE.exec(text);
        if (end === null) return;
        text = text.slice(end.index + end[0].length);
      }
    },
    status: () => status,
  };
};

/** Shows every chunk that is read from a socket, as it is read. */
export const tap = (socket: Socket, see: (chunk: Buffer) => void): void => {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (Buffer.isBuffer(chunk)) see(chunk);
    return chunk;
  };
};
