import type { ServerResponse } from "node:http";

/** An HTTP response. A body in pieces is sent as fast as the client reads it. */
export type Answer = { status: number; headers: Record<string, string>; body: string | Iterable<string> };

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/**
 * Writes a piece of a body, and resolves when it is flushed: true, or false when the client is gone. Other
 * requests are handled before the next piece, however fast the client reads.
 */
export const writePiece = (response: ServerResponse, piece: string | Buffer): Promise<boolean> =>
  new Promise((resolve) => response.write(piece, (error) => setImmediate(resolve, !error)));

/** Sends an answer without faults. */
export const sendAnswer = async (
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> => {
  const whole = typeof body === "string" ? body : null;
  const length = whole !== null && status !== 204 && { "content-length": Buffer.byteLength(whole) };
  response.writeHead(status, { ...headers, ...length });
  if (typeof body !== "string") for (const piece of body) if (!(await writePiece(response, piece))) return;
  response.end(whole);
};
