import type { Span } from "../runtime/traces.ts";

/** The head of a request to the webhook route as received: nothing in it is verified or decoded yet. */
export type RequestHead = {
  /** The last segment of the request's path, still percent-encoded; null for a route without a token. */
  pathToken: string | null;
  /** By lower-case name. Each character of a value is one byte. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The remote address of the connection; empty when the connection is closed already. */
  peerAddress: string;
  /** Milliseconds since the Unix epoch. */
  receivedAt: number;
  span?: Span | undefined;
};

/** The value of a header, or null. Node joins a repeated header with commas. */
export const headerOf = ({ headers }: RequestHead, lowerCaseName: string): string | null => {
  const value = headers[lowerCaseName];
  return typeof value === "string" ? value : null;
};
