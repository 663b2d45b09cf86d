import type { ServerResponse } from "node:http";

/** What goes back over the wire. */
export type Answer = { status: number; headers: Record<string, string>; body: string };

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

/** Writes an answer as it should be. */
export const write = (response: ServerResponse, answer: Answer): void => {
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(answer.status !== 204 && { "content-length": Buffer.byteLength(answer.body) }),
  });
  response.end(answer.body);
};
