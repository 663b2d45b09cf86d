import type { ServerResponse } from "node:http";

/** What goes back over the wire; a body in pieces is sent as fast as the client takes it. */
export type Answer = { status: number; headers: Record<string, string>; body: string | Iterable<string> };

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

export const text = (
  status: number,
  body: string,
  type = "text/plain; charset=utf-8",
  headers: Record<string, string> = {},
): Answer => ({ status, headers: { "content-type": type, ...headers }, body });

export const empty = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: "",
});

/**
 * Sends a piece of a body, and waits until the client's side took it; false when the client is gone. Other requests get their turn before
 * the next piece, however fast the client is.
 */
export const put = (response: ServerResponse, piece: string | Buffer): Promise<boolean> =>
  new Promise((resolve) => response.write(piece, (error) => setImmediate(resolve, !error)));

const writePieces = async (response: ServerResponse, pieces: Iterable<string>): Promise<void> => {
  for (const piece of pieces) if (!(await put(response, piece))) return;
  response.end();
};

/** Writes an answer as it should be. */
export const write = (response: ServerResponse, { status, headers, body }: Answer): Promise<void> => {
  if (typeof body !== "string") {
    response.writeHead(status, headers);
    return writePieces(response, body);
  }
  response.writeHead(status, {
    ...headers,
    ...(status !== 204 && { "content-length": Buffer.byteLength(body) }),
  });
  response.end(body);
  return Promise.resolve();
};
