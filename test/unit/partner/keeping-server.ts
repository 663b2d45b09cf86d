import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { PartnerOptions } from "../../../src/partner/client.ts";
import type { Outcome } from "../../../src/partner/types.ts";
import { systemClock, type Clock } from "../../../src/runtime/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { ACCEPT, free, partnerOf } from "./hostile-server.ts";
import { TEST_CERT, TEST_KEY } from "./tls-material.ts";

/** A clock that stands still until it is told to go on. Deadlines are real ones. */
export const manualClock = () => {
  let ms = 0;
  const sleeping = new Set<{ until: number; wake: () => void }>();
  const clock: Clock = {
    ...systemClock,
    now: () => ms,
    monotonic: () => ms,
    sleep: (forMs, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: ms + forMs, wake: resolve };
        sleeping.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleeping.delete(sleeper);
          reject(new Error("woken"));
        });
      }),
  };
  return {
    clock,
    sleepers: () => sleeping.size,
    advance: (byMs: number): void => {
      ms += byMs;
      for (const sleeper of sleeping) {
        if (sleeper.until > ms) continue;
        sleeping.delete(sleeper);
        sleeper.wake();
      }
    },
  };
};

export const ok: RequestListener = (_, response) => void response.end("{}");

/** A used connection is left alone for so long before it is used again. */
export const REST_MS = 5;

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
  const partner = partnerOf(server, { clock: time.clock, ...over });
  const call = (): Promise<Outcome> => partner.call(ACCEPT, free());
  /** So many calls at a time; the connections that they came over, sorted. */
  const together = async (calls: number): Promise<number[]> => {
    const from = server.requests.length;
    const outcomes = await Promise.all(Array.from({ length: calls }, call));
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => "executed"));
    return server.requests.slice(from).sort((a, b) => a - b);
  };
  /** The same, after so long that used connections have rested. */
  const rested = (calls: number): Promise<number[]> => {
    time.advance(REST_MS);
    return together(calls);
  };
  /** Has one call made and its connection left alone for a second. */
  const prove = async (): Promise<void> => {
    await together(1);
    expect(time.sleepers()).toBe(1);
    time.advance(1_000);
    await eventually(() => server.open() === 0, "the connection that was left alone to be closed");
  };
  return { time, partner, call, together, rested, prove };
};

/** Connection 0 was the one that was left alone, and 1 has rested and waits for its second call. */
export const proven = async (
  over: Partial<PartnerOptions> = {},
  options: Parameters<typeof keeping>[0] = {},
) => {
  const server = await keeping(options);
  const world = worldOf(server, over);
  await world.prove();
  expect(await world.together(1)).toEqual([1]);
  world.time.advance(REST_MS);
  return { server, ...world };
};
