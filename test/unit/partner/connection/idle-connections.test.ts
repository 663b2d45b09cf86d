import type { RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { ACCEPT, answer, CREATE, free } from "../hostile-server.ts";
import { KEEP_ALIVE_MS, keeping, ok, withOneIdle, worldOf } from "../keeping-server.ts";
import { TEST_CERT } from "../tls-material.ts";

/** A call that comes this late still may use a connection. */
const LATEST_MS = KEEP_ALIVE_MS / 4;

const raw =
  (text: string): RequestListener =>
  (request) =>
    void request.socket.write(text);

/** One idle connection to a partner that answers by `odd` once `change` is called, and as before after `mend`. */
const withOneIdleThen = async (odd: RequestListener, over: Parameters<typeof withOneIdle>[0] = {}) => {
  let isOdd = false;
  const answer: RequestListener = (request, response) => (isOdd ? odd : ok)(request, response);
  const world = await withOneIdle(over, { answer });
  return { ...world, change: () => void (isOdd = true), mend: () => void (isOdd = false) };
};

describe("each call has a connection of its own", () => {
  it.each<[string, RequestListener]>([
    ["says nothing", ok],
    [
      "says that it keeps them",
      (_, response) => void response.writeHead(200, { "keep-alive": "timeout=3600" }).end("{}"),
    ],
  ])("unless the partner is known to keep them, whatever the load; it %s", async (_, answer) => {
    const server = await keeping({ answer });
    const { time, together } = worldOf(server, { keepAliveMs: 0 });
    for (let opened = 0; opened < 200; opened += 20) {
      expect(await together(19)).toEqual(Array.from({ length: 19 }, (__, nth) => opened + nth));
      expect(await together(1)).toEqual([opened + 19]);
      time.advance(1_000);
    }
    await eventually(() => server.open() === 0, "all connections to be closed");
  });
});

describe("an idle connection", () => {
  it.each([
    ["http", {}],
    ["https", { tls: true }],
  ])("over %s carries call after call, accepts and creates", async (_, options) => {
    const { server, partner, together } = await withOneIdle({ tls: { ca: TEST_CERT } }, options);
    expect((await partner.call(CREATE, free())).kind).toBe("executed");
    expect(await together(1)).toEqual([0]);
    expect(server.requests).toEqual([0, 0, 0]);
  });

  it("carries one call at a time", async () => {
    const { together } = await withOneIdle();
    expect(await together(8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await together(8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    ["a quarter of the time that the partner keeps it", LATEST_MS, 0],
    ["more than that", LATEST_MS + 1, 1],
  ])("after %s", async (_, idleMs, connection) => {
    const { time, together } = await withOneIdle();
    time.advance(idleMs);
    expect(await together(1)).toEqual([connection]);
  });

  it.each(["advanceWall", "advanceMonotonic"] as const)(
    "is too old when one clock alone says so: %s",
    async (advance) => {
      const { time, server, together } = await withOneIdle();
      time[advance](LATEST_MS + 1);
      expect(await together(1)).toEqual([1]);
      await eventually(() => server.open() === 1, "the old one to be closed");
    },
  );

  it("that got old between the choice and the call, as in a freeze, is not used", async () => {
    const { time, server, partner } = await withOneIdle();
    const call = partner.call(ACCEPT, free());
    time.advance(LATEST_MS + 1);
    expect([(await call).kind, server.requests]).toEqual(["executed", [0, 1]]);
  });

  it("is closed when nobody uses it for that long", async () => {
    const server = await keeping();
    await worldOf(server, { keepAliveMs: 40 }).together(2);
    await eventually(() => server.open() === 0, "the idle connections to be closed");
  });

  it("that the partner closed is noticed before anything is sent on it", async () => {
    const { server, partner } = await withOneIdle();
    let asked = 0;
    // The end is on its way, and nobody has looked for it.
    server.sockets[0]?.destroy();
    const outcome = await partner.call(ACCEPT, { ...free(), mayCall: () => ++asked > 0 });
    expect([outcome.kind, asked, server.requests]).toEqual(["executed", 1, [0, 1]]);
  });

  it("is given up with a call that is not allowed, and asked about once", async () => {
    const { server, partner, together } = await withOneIdle();
    let asked = 0;
    const outcome = await partner.call(ACCEPT, { ...free(), mayCall: () => ++asked > 1 });
    expect([outcome.kind, asked, server.requests]).toEqual(["notSent", 1, [0]]);
    expect(await together(1)).toEqual([1]);
  });

  it("leaves a call in doubt that it loses, which is not sent again", async () => {
    const { server, call, together, change, mend } = await withOneIdleThen(({ socket }) => socket.destroy());
    change();
    expect((await call()).kind).toBe("unknown");
    expect(server.requests).toEqual([0, 0]);
    mend();
    expect(await together(1)).toEqual([1]);
  });

  it("counts as a connection: no other is opened while it can be used, and it is closed when it cannot", async () => {
    const { time, server, together } = await withOneIdle();
    await together(2);
    expect(await together(2)).toEqual([0, 1]);
    time.advance(LATEST_MS + 1);
    expect(await together(2)).toEqual([2, 3]);
    await eventually(() => server.open() === 2, "the old connections to be closed");
  });

  it("is closed with the partner, and so is one whose call ends later", async () => {
    let end = (): void => undefined;
    const slow: RequestListener = (request, response) => (end = () => ok(request, response));
    const { server, partner, together, change } = await withOneIdleThen(slow);
    await together(2);
    change();
    const call = partner.call(ACCEPT, free());
    await eventually(() => server.requests.length === 4, "the request");
    const closing = partner.close();
    await eventually(() => server.open() === 1, "the idle connection to be closed");
    end();
    expect((await call).kind).toBe("executed");
    await closing;
    await eventually(() => server.open() === 0, "the other one to be closed");
  });
});

describe("a connection is not used again", () => {
  it.each<[string, RequestListener]>([
    [
      "the partner closes it",
      (_, response) => void response.writeHead(200, { connection: "close" }).end("{}"),
    ],
    ["it is HTTP/1.0", raw("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}")],
    [
      "the partner says that it keeps it for less long",
      raw("HTTP/1.1 200 OK\r\nKeep-Alive: Timeout=59, max=100\r\nContent-Length: 2\r\n\r\n{}"),
    ],
    ["more came than the answer", raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}H")],
    ["two answers came", raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".repeat(2))],
    [
      "the body was longer than what is read",
      (_, response) => void response.end(`["${"x".repeat(1_200_000)}"]`),
    ],
  ])("when %s", async (_, answer) => {
    const { server, together, change } = await withOneIdleThen(answer);
    change();
    expect([await together(1), await together(1), await together(1)]).toEqual([[0], [1], [2]]);
    await eventually(() => server.open() === 0, "the connections to be closed");
  });

  it.each([60, 2])("unless the partner says that it keeps it for as long: %d s", async (seconds) => {
    const head = `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=${seconds}\r\n`;
    const answer = raw(`${head}Content-Length: 2\r\n\r\n{}`);
    const { server, together } = await withOneIdle({ keepAliveMs: seconds * 1_000 }, { answer });
    for (let n = 0; n < 9; n++) await together(1);
    expect(server.sockets.length).toBeLessThan(10);
  });

  it.each([401, 422, 503])("after a %d", async (status) => {
    const { server, call, change } = await withOneIdleThen((_, response) =>
      response.writeHead(status).end("{}"),
    );
    change();
    for (let n = 0; n < 3; n++) await call();
    expect(server.requests).toEqual([0, 0, 1, 2]);
  });

  it("when it was cut off", async () => {
    const world = await withOneIdleThen(() => undefined, { callTimeoutMs: 1_000 });
    const { server, call, together, change, mend } = world;
    change();
    expect((await call()).kind).toBe("unknown");
    mend();
    expect(server.requests).toEqual([0, 0]);
    expect(await together(1)).toEqual([1]);
  });

  it("when it was answered before its request had left in full", async () => {
    const hasty: RequestListener = (request) => request.pause().socket.write(answer("200 OK"));
    const { server, partner, together, change, mend } = await withOneIdleThen(hasty);
    change();
    const long = { ...ACCEPT, body: "x".repeat(20_000_000) };
    expect((await partner.call(long, free())).kind).toBe("executed");
    mend();
    expect(server.requests).toEqual([0, 0]);
    expect(await together(1)).toEqual([1]);
  });
});

const UNASKED = [
  ["an answer", answer("200 OK", '{"n":"stray"}')],
  ["an answer that says that no request came", answer("408 Request Timeout", "")],
  ["an informational answer", "HTTP/1.1 100 Continue\r\n\r\n"],
  ["the beginning of an answer", "HTTP/1.1 2"],
  ["something that is no answer", "}"],
] as const;

describe("what comes over an idle connection is taken for no call's answer", () => {
  it.each(UNASKED)("%s: the connection is closed at once", async (_, text) => {
    const { server, together } = await withOneIdle();
    server.sockets[0]?.write(text);
    await eventually(() => server.open() === 0, "the connection to be closed");
    expect(await together(1)).toEqual([1]);
  });

  it.each(UNASKED)("%s that has arrived, and nobody has looked for it", async (_, text) => {
    const { server, partner } = await withOneIdle();
    server.sockets[0]?.write(text);
    expect(await partner.call(ACCEPT, free())).toMatchObject({ kind: "executed", answer: { body: "{}" } });
    expect(server.requests).toEqual([0, 1]);
  });

  it.each(UNASKED)("%s that comes along with the answer before", async (_, text) => {
    let isOdd = true;
    const server = await keeping({
      answer: (request, response) => {
        if (isOdd) request.socket.write(answer("200 OK") + text);
        else ok(request, response);
      },
    });
    const { together } = worldOf(server);
    await together(10);
    isOdd = false;
    expect(await together(10)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });
});
