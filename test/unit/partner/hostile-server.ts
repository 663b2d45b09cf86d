import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import { onTestFinished } from "vitest";
import { createPartner } from "../../../src/partner/client.ts";
import type { CallOptions, Outcome, PartnerOptions, PartnerRequest } from "../../../src/partner/types.ts";
import { systemClock } from "../../../src/runtime/clock.ts";

/** One connection as the server saw it. */
export type Seen = { socket: net.Socket; text: string; closed: boolean };

export type Server = { url: string; port: number; seen: Seen[] };

type Behaviour = {
  /** At once, when a connection was accepted. */
  onConnect?: (socket: net.Socket, index: number) => void;
  /** When a whole request has arrived. */
  onRequest?: (socket: net.Socket, index: number) => void;
  tls?: tls.TlsOptions;
};

const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n");
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return end >= 0 && Buffer.byteLength(text) >= end + 4 + Number(length ?? 0);
};

/** A server that speaks bytes, not HTTP, and remembers every byte that it got. Gone when the test is over. */
export const serve = async ({ onConnect, onRequest, tls: tlsOptions }: Behaviour): Promise<Server> => {
  const seen: Seen[] = [];
  const accept = (socket: net.Socket): void => {
    const index = seen.length;
    const connection: Seen = { socket, text: "", closed: false };
    seen.push(connection);
    socket.on("error", () => undefined);
    socket.on("close", () => (connection.closed = true));
    let answered = false;
    socket.on("data", (chunk: Buffer) => {
      connection.text += chunk.toString("latin1");
      if (answered || !isWhole(connection.text)) return;
      answered = true;
      onRequest?.(socket, index);
    });
    onConnect?.(socket, index);
  };
  const server = tlsOptions ? tls.createServer(tlsOptions, accept) : net.createServer(accept);
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const { socket } of seen) socket.destroy();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  return { url: `${tlsOptions ? "https" : "http"}://127.0.0.1:${port}`, port, seen };
};

export const answer = (status: string, body = "{}", headers = ""): string =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export const ACCEPT: PartnerRequest = {
  operation: "ACCEPT_QUOTE",
  method: "PUT",
  path: "/corporate/v1/quote/q-1/accept",
  body: '{"counterpartyId":"cp-1","amount":1000.00}',
  ids: { quoteId: "q-1", counterpartyId: "cp-1" },
};

export const CREATE: PartnerRequest = {
  operation: "CREATE_QUOTE",
  method: "POST",
  path: "/corporate/v1/quote",
  body: "{}",
  ids: {},
};

export const CREDENTIALS = { accessToken: "secret/access+token", xToken: "secret-x-token" };

export const partnerOf = (server: { url: string }, over: Partial<PartnerOptions> = {}) =>
  createPartner({
    baseUrl: new URL(server.url),
    credentials: { current: () => CREDENTIALS, reload: () => undefined },
    userAgent: "acme-fx",
    tls: {},
    proxy: null,
    connectTimeoutMs: 5_000,
    callTimeoutMs: 5_000,
    maxConnections: 64,
    keepAliveMs: 0,
    maxRequestsPerSecond: undefined,
    maxResponseBytes: 1_000,
    quoteIdPointer: undefined,
    transactionIdPointer: undefined,
    failedWhen: [],
    resultFields: [],
    doubtStatuses: ["302", "303", "409"],
    logEndParameter: "endtDate",
    logMaxBytes: 1_000_000,
    secrets: () => Object.values(CREDENTIALS),
    clock: systemClock,
    ...over,
  });

export const free = (): CallOptions => ({
  signal: new AbortController().signal,
  withinMs: 60_000,
  mayCall: () => true,
});

/** One accept of a partner that behaves so. */
export const acceptAt = async (behaviour: Behaviour, over: Partial<PartnerOptions> = {}) => {
  const server = await serve(behaviour);
  const outcome: Outcome = await partnerOf(server, over).call(ACCEPT, free());
  return { outcome, server, requests: () => server.seen.filter(({ text }) => text !== "").length };
};
