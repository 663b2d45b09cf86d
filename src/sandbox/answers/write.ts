import type { Answer } from "../types.ts";

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
