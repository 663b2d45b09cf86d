import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { Outcome, PartnerOptions } from "../../../src/partner/types.ts";
import { systemClock, type Clock } from "../../../src/runtime/clock.ts";
import { ACCEPT, free, partnerOf } from "./hostile-server.ts";
import { TEST_CERT, TEST_KEY } from "./tls-material.ts";

/** A clock that stands still until it is told to go on. Deadlines are real ones. */
const manualClock = () => {
  let wall = 0;
  let monotonic = 0;
  const clock: Clock = { ...systemClock, now: () => wall, monotonic: () => monotonic };
  return {
    clock,
    advance: (byMs: number): void => {
      wall += byMs;
      monotonic += byMs;
    },
    /** As while a virtual machine is paused. */
    advanceWall: (byMs: number): void => void (wall += byMs),
    /** As when somebody sets the clock back meanwhile. */
    advanceMonotonic: (byMs: number): void => void (monotonic += byMs),
  };
};

export const ok: RequestListener = (_, response) => void response.end("{}");

/** So long that no test takes a quarter of it. */
export const KEEP_ALIVE_MS = 60_000;

/** A partner that keeps connections for ever. Says which of its connections each request came over. */
export const keeping = async ({
  answer = ok,
  tls = false,
}: { answer?: RequestListener; tls?: boolean } = {}) => {
  const sockets: Socket[] = [];
  const requests: number[] = [];
  let open = 0;
  const listener: RequestListener = (request, response) => {
    requests.push(sockets.indexOf(request.socket));
    request.resume();
    answer(request, response);
  };
  const server = tls ? createTlsServer({ key: TEST_KEY, cert: TEST_CERT }, listener) : createServer(listener);
  server.keepAliveTimeout = 0;
  server.on(tls ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    open += 1;
    socket.on("close", () => (open -= 1));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    sockets,
    requests,
    open: () => open,
  };
};

type Server = Awaited<ReturnType<typeof keeping>>;

export const worldOf = (server: Server, over: Partial<PartnerOptions> = {}) => {
  const time = manualClock();
  const partner = partnerOf(server, { clock: time.clock, keepAliveMs: KEEP_ALIVE_MS, ...over });
  const call = (): Promise<Outcome> => partner.call(ACCEPT, free());
  /** So many calls at a time; the connections that they came over, sorted. */
  const together = async (calls: number): Promise<number[]> => {
    const from = server.requests.length;
    const outcomes = await Promise.all(Array.from({ length: calls }, call));
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => "executed"));
    return server.requests.slice(from).sort((a, b) => a - b);
  };
  return { time, partner, call, together };
};

/** Connection 0 has carried a call, and is idle. */
export const withOneIdle = async (
  over: Partial<PartnerOptions> = {},
  options: Parameters<typeof keeping>[0] = {},
) => {
  const server = await keeping(options);
  const world = worldOf(server, over);
  expect(await world.together(1)).toEqual([0]);
  return { server, ...world };
};
