import type { Span } from "../runtime/traces.ts";

/** A request to the webhook route as it came off the wire: nothing of it is trusted, decoded or parsed yet. */
export type RawDelivery = {
  /** What follows the route's path and a slash in the request's path, percent-encoding untouched; null when nothing does. */
  pathToken: string | null;
  /** By lower-case name, as `IncomingMessage.headers` has them: one code unit per byte. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  body: Buffer;
  /** Address of the connection's other end; empty when the connection is gone already. */
  peerAddress: string;
  /** Milliseconds since the Unix epoch. */
  receivedAt: number;
  /** The work on it, where it is traced. */
  span?: Span | undefined;
};

/** The header's only value, or null. Node joins a repeated header with commas, which then matches no secret. */
export const headerOf = (delivery: RawDelivery, lowerCaseName: string): string | null => {
  const value = delivery.headers[lowerCaseName];
  return typeof value === "string" ? value : null;
};
