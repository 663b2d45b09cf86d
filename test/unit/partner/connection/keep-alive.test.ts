import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { ACCEPT, free } from "../hostile-server.ts";
import { keeping, ok, proven, REST_MS, worldOf } from "../keeping-server.ts";
import { TEST_CERT } from "../tls-material.ts";

describe("a used connection", () => {
  it("is not trusted before one was left alone for a second", async () => {
    const server = await keeping();
    const { time, together, rested } = worldOf(server);
    expect(await together(1)).toEqual([0]);
    time.advance(999);
    expect([await together(1), await together(1)]).toEqual([[1], [2]]);
    time.advance(1);
    await eventually(() => server.open() === 0, "the connection that was left alone to be closed");
    expect([await together(1), await rested(1), await rested(1)]).toEqual([[3], [3], [3]]);
  });

  it("carries one call at a time at first, and twice as many after each that was answered", async () => {
    const { server, together, rested } = await proven();
    await together(8);
    const usedBefore = async (): Promise<number> => {
      const known = server.sockets.length;
      return (await rested(8)).filter((index) => index < known).length;
    };
    // One was lent, and answered, among the first eight.
    expect([await usedBefore(), await usedBefore(), await usedBefore()]).toEqual([2, 8, 8]);
    expect(new Set(server.requests.slice(-8)).size).toBe(8);
  });

  it("over TLS is one as well", async () => {
    const { together } = await proven({ tls: { ca: TEST_CERT } }, { tls: true });
    expect(await together(1)).toEqual([1]);
  });

  it.each([
    ["less than a rest", REST_MS - 1, 2],
    ["a rest", REST_MS, 1],
    ["a quarter of a second of idleness", 250, 1],
    ["more than that", 251, 2],
  ])("after %s", async (_, idleMs, connection) => {
    const { time, together } = await proven();
    expect(await together(1)).toEqual([1]);
    time.advance(idleMs);
    expect(await together(1)).toEqual([connection]);
  });

  it("is not used any more after a minute", async () => {
    const { time, together } = await proven();
    for (let ms = 0; ms < 60_000; ms += 200) {
      time.advance(200);
      expect(await together(1)).toEqual([1]);
    }
    expect(await together(1)).toEqual([2]);
  });

  it("that the partner closed is noticed before anything is sent on it", async () => {
    const { server, partner, together, rested } = await proven();
    let asked = 0;
    // The end is on its way, and nobody has looked for it.
    server.sockets[1]?.destroy();
    const outcome = await partner.call(ACCEPT, { ...free(), mayCall: () => ++asked > 0 });
    expect([outcome.kind, asked, server.requests]).toEqual(["executed", 1, [0, 1, 2]]);
    // Such a partner is not relied on.
    expect([await together(1), await rested(1)]).toEqual([[3], [4]]);
  });

  it("that got old between the choice and the call is not used", async () => {
    const { time, server, partner } = await proven();
    const call = partner.call(ACCEPT, free());
    time.advance(251);
    expect([(await call).kind, server.requests]).toEqual(["executed", [0, 1, 2]]);
  });

  it("is given up with a call that is not allowed, and asked about once", async () => {
    const { server, partner } = await proven();
    let asked = 0;
    const outcome = await partner.call(ACCEPT, { ...free(), mayCall: () => ++asked > 1 });
    expect([outcome.kind, asked, server.requests]).toEqual(["notSent", 1, [0, 1]]);
  });

  it("counts as a connection: it is closed where a new one would be one too many", async () => {
    const { time, server, together } = await proven({ maxConnections: 2 });
    await together(2);
    time.advance(251);
    expect(await together(2)).toEqual([3, 4]);
    await eventually(() => server.open() === 2, "the idle connections to be closed");
  });

  it("is closed with the partner", async () => {
    const { server, partner } = await proven();
    expect(server.open()).toBe(1);
    await partner.close();
    await eventually(() => server.open() === 0, "the idle connection to be closed");
  });
});

describe("how far used connections are trusted", () => {
  it("does not matter below so many calls at once: each gets a new one", async () => {
    const server = await keeping();
    const { time, together } = worldOf(server, { reuseFrom: 3 });
    await together(3);
    time.advance(1_000);
    await eventually(() => server.open() === 0, "the connection that was left alone to be closed");
    // Of three that end, the first one counts as one of three.
    expect(await together(3)).toEqual([3, 4, 5]);
    time.advance(REST_MS);
    expect(await together(2)).toEqual([6, 7]);
    await eventually(() => server.open() === 1, "those to be closed");
    // One of three may have one that was used.
    expect(await together(3)).toContain(3);
  });

  it("is told when it changes, with the reason", async () => {
    const told: string[] = [];
    let isLosing = false;
    const { server, time, call, together, prove } = await proven(
      { connectionsTold: (standing) => told.push(standing) },
      { answer: (request, response) => (isLosing ? request.socket.destroy() : ok(request, response)) },
    );
    time.advance(REST_MS);
    isLosing = true;
    await call();
    isLosing = false;
    time.advance(600_000);
    await prove();
    await together(1);
    server.sockets.at(-1)?.destroy();
    await eventually(() => server.open() === 0, "the idle connection to be closed");
    await together(1);
    time.advance(60_000);
    await together(1);
    server.sockets.at(-1)?.write("HTTP/1.1 408 Request Timeout\r\n\r\n");
    await eventually(() => server.open() === 0, "the connection to be closed");
    expect(told).toEqual(["kept", "call-lost", "kept", "closed-early", "spoke-unasked"]);
  });
});

describe("used connections are given up", () => {
  it("for a minute, when one that was left alone is closed early", async () => {
    const server = await keeping();
    const { time, together, rested, prove } = worldOf(server);
    await together(1);
    time.advance(500);
    server.sockets[0]?.destroy();
    await eventually(() => time.sleepers() === 0, "the end of the connection to be noticed");
    time.advance(59_999);
    await together(1);
    expect(time.sleepers()).toBe(0);
    time.advance(1);
    await prove();
    expect([await together(1), await rested(1)]).toEqual([[3], [3]]);
  });

  it("for a minute, when an idle one is closed early", async () => {
    const { server, time, together, rested, prove } = await proven();
    await together(4);
    server.sockets.at(-1)?.destroy();
    await eventually(() => server.open() === 0, "the others to be closed as well");
    time.advance(59_999);
    const known = server.sockets.length;
    expect([await together(1), await rested(1)]).toEqual([[known], [known + 1]]);
    time.advance(1);
    await prove();
  });

  it("not when one is closed that was idle for long", async () => {
    const { server, time, together, rested } = await proven();
    time.advance(1_000);
    server.sockets[1]?.destroy();
    await eventually(() => server.open() === 0, "the idle connection to be closed");
    expect([await together(1), await rested(1)]).toEqual([[2], [2]]);
  });

  it("for ten minutes, when a call is lost on one: it is in doubt, and the only one", async () => {
    let isLosing = false;
    const { server, time, call, together, rested, prove } = await proven(
      {},
      { answer: (request, response) => (isLosing ? request.socket.destroy() : ok(request, response)) },
    );
    isLosing = true;
    expect((await call()).kind).toBe("unknown");
    expect(server.requests).toEqual([0, 1, 1]);
    isLosing = false;
    time.advance(599_999);
    expect([await together(1), await rested(1)]).toEqual([[2], [3]]);
    time.advance(1);
    await prove();
  });

  it("for twice as long when one is lost again", async () => {
    let isLosing = false;
    const { time, call, together, prove } = await proven(
      {},
      { answer: (request, response) => (isLosing ? request.socket.destroy() : ok(request, response)) },
    );
    const lose = async (): Promise<void> => {
      time.advance(REST_MS);
      isLosing = true;
      expect((await call()).kind).toBe("unknown");
      isLosing = false;
    };
    await lose();
    time.advance(600_000);
    await prove();
    await together(1);
    await lose();
    time.advance(1_199_999);
    await together(1);
    expect(time.sleepers()).toBe(0);
    time.advance(1);
    await prove();
  });

  it("when they were lost one by one: a partner that serves one call each costs one doubt", async () => {
    const served = new WeakSet<Socket>();
    const { together, call } = await proven(
      {},
      {
        answer: (request, response) => {
          if (served.has(request.socket)) request.socket.destroy();
          else ok(request, response);
          served.add(request.socket);
        },
      },
    );
    const outcomes = await Promise.all(Array.from({ length: 50 }, call));
    expect(outcomes.filter(({ kind }) => kind !== "executed").map(({ kind }) => kind)).toEqual(["unknown"]);
    for (let n = 0; n < 20; n++) await together(10);
  });
});

describe("a connection is not used again", () => {
  const raw =
    (text: string): RequestListener =>
    (request) =>
      void request.socket.write(text);

  it.each<[string, RequestListener]>([
    [
      "the partner closes it",
      (_, response) => void response.writeHead(200, { connection: "close" }).end("{}"),
    ],
    ["it is HTTP/1.0", raw("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}")],
    [
      "the partner is about to close it",
      raw("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\n{}"),
    ],
    ["more came than the answer", raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}H")],
    ["two answers came", raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".repeat(2))],
    ["the body was longer than what is kept", (_, response) => void response.end("x".repeat(2_000))],
  ])("when %s", async (_, answer) => {
    let isOdd = false;
    const { server, together, rested } = await proven(
      {},
      { answer: (request, response) => (isOdd ? answer : ok)(request, response) },
    );
    isOdd = true;
    expect([await together(1), await rested(1), await rested(1)]).toEqual([[1], [2], [3]]);
    await eventually(() => server.open() === 0, "the connections to be closed");
  });

  it.each([400, 401, 404, 422, 429, 500, 503])("after a %d", async (status) => {
    let isOdd = false;
    const { server, call } = await proven(
      {},
      { answer: (_, response) => void response.writeHead(isOdd ? status : 200).end("{}") },
    );
    isOdd = true;
    for (let n = 0; n < 3; n++) await call();
    expect(server.requests).toEqual([0, 1, 1, 2, 3]);
  });

  it("when something came over it while it was idle", async () => {
    const { server, together } = await proven();
    server.sockets[1]?.write("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
    expect(await together(1)).toEqual([2]);
  });

  it("when it was cut off", async () => {
    let isSilent = false;
    const { server, partner, together } = await proven(
      { callTimeoutMs: 50 },
      { answer: (request, response) => (isSilent ? undefined : ok(request, response)) },
    );
    isSilent = true;
    expect((await partner.call(ACCEPT, free())).kind).toBe("unknown");
    isSilent = false;
    expect(server.requests).toEqual([0, 1, 1]);
    expect(await together(1)).toEqual([2]);
  });
});
