import type { Socket } from "node:net";
import { expect } from "vitest";
import type { FetchLog, LogQuery, PartnerOptions } from "../../../src/partner/types.ts";
import { systemClock, type Clock } from "../../../src/runtime/clock.ts";
import { partnerOf, serve, type Server } from "./hostile-server.ts";

export const LAST_CHUNK = "0\r\n\r\n";

export const DAY: LogQuery = {
  startDate: "2026-01-05",
  endDate: "2026-01-06",
  eventType: "TRANSACTION_STATUS_UPDATED",
};

/** A clock on which ten minutes last three seconds; what is shorter than a minute lasts as long as ever. */
const hasty = (ms: number): number => (ms >= 60_000 ? ms / 200 : ms);
export const hastyClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(hasty(ms), signal),
  within: (ms, signal, pending) => systemClock.within(hasty(ms), signal, pending),
};

/** The body of an answer that comes in chunks, as they come. */
export const chunked = (headers = ""): string =>
  `HTTP/1.1 200 OK\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`;
export const chunkOf = (bytes: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes),
    Buffer.from("\r\n"),
  ]);

/** A partner whose log answers so, connection by connection. */
export const logOf = async (
  onRequest: (socket: Socket, index: number) => void,
  over: Partial<PartnerOptions> = {},
) => {
  const server: Server = await serve({ onRequest });
  const partner = partnerOf(server, over);
  const stop = new AbortController();
  const fetch = (query: LogQuery = DAY): ReturnType<FetchLog> => partner.fetchLog(query, stop.signal);
  const allClosed = (): boolean => server.seen.every(({ closed }) => closed);
  return { server, partner, stop, fetch, allClosed };
};

export const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** Reads to the end, which must be a bad one. */
export const failureOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const outcome = await textOf(body).then(
    () => "read to its end",
    (error: unknown) => {
      expect(error).toBeInstanceOf(Error);
      return (error as Error).message;
    },
  );
  return outcome;
};
