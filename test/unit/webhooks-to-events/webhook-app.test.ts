import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { secureHeaders } from "hono/secure-headers";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { EventTooLarge } from "../../../src/notification/publish-once.ts";
import { BY_HEADER, openReception, PATH, SECRET, type ReceptionDesk } from "./reception.ts";

const opened: ReceptionDesk[] = [];
afterAll(() => Promise.all(opened.map((desk) => desk.close())));
const open = async (...args: Parameters<typeof openReception>): Promise<ReceptionDesk> => {
  const desk = await openReception(...args);
  opened.push(desk);
  return desk;
};
const notification = (transactionId: string): string => JSON.stringify({ transactionId, status: "CANCELED" });
const elsewhere = (url: string, path: string): string => new URL(path, url).href;
const requestOf = (body: string, target = `${PATH}/${SECRET}`, ending = "HTTP/1.1\r\nHost: x"): string =>
  `POST ${target} ${ending}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe("what is answered", () => {
  test("200 with the eventId when it is published, and when it was", async () => {
    const desk = await open();
    for (let i = 0; i < 2; i++) {
      const answer = await desk.post(notification("tx"));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(JSON.parse(answer.text)).toEqual({ eventId: desk.published[0]?.event.eventId });
    }
    expect(desk.published).toHaveLength(1);
    expect(desk.served.map(({ outcome: reception }) => reception?.kind)).toEqual(["published", "duplicate"]);
  });

  test("404 with an empty body for a wrong path token, whatever the body is", async () => {
    const desk = await open();
    for (const token of ["wrong", `${SECRET}x`, SECRET.slice(1), "%00"]) {
      const answer = await desk.post("not json", {}, elsewhere(desk.url, `${PATH}/${token}`));
      expect(answer).toMatchObject({ status: 404, text: "" });
    }
    expect(desk.parked).toEqual([]);
  });

  test.each(["/", "/hooks", PATH, `${PATH}/`, `${PATH}/${SECRET}/more`, "/livez", "/metrics"])(
    "404 for %s",
    async (path) => {
      const desk = await open();
      expect((await desk.post(notification("tx"), {}, elsewhere(desk.url, path))).status).toBe(404);
      expect(desk.published).toEqual([]);
    },
  );

  test.each(["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])("405 with Allow for %s", async (method) => {
    const desk = await open();
    const response = await fetch(desk.url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  test.each([
    ["no Host", `${PATH}/${SECRET}`, "HTTP/1.0"],
    ["a Host in no usual form", `${PATH}/${SECRET}`, "HTTP/1.1\r\nHost: [0:0::1]:80"],
    ["the host in the target", `http://x${PATH}/${SECRET}?y`, "HTTP/1.1\r\nHost: x"],
  ])("200 with %s: the route is a path, whoever it is asked of", async (_, target, ending) => {
    const desk = await open();
    const { text, socket } = await desk.raw(requestOf(notification("tx"), target, ending));
    await eventually(() => text().includes("\r\n\r\n"), "the answer");
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test("200 to a sender that has closed its side after the request", async () => {
    let acknowledge = (): void => undefined;
    const written = new Promise<{ partition: number; offset: number }>((resolve) => {
      acknowledge = () => resolve({ partition: 0, offset: 0 });
    });
    const desk = await open({ write: () => written });
    const { text, socket, ended } = await desk.raw(requestOf(notification("tx")));
    socket.end();
    await eventually(() => desk.published.length === 1, "the event");
    // A request of another connection is served after the end of this one was seen.
    expect((await desk.post("", {}, elsewhere(desk.url, "/"))).status).toBe(404);
    acknowledge();
    await eventually(ended, "the connection to be closed");
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("the trace context goes on with the event", async () => {
    const desk = await open();
    await desk.post(notification("a"), { traceparent: "00-1-2-01", tracestate: "a=1" });
    await desk.post(notification("b"), { traceparent: "00-1-3-01" });
    await desk.post(notification("c"), { tracestate: "a=1" });
    expect(desk.published.map(({ trace }) => trace)).toEqual([
      { traceparent: "00-1-2-01", tracestate: "a=1" },
      { traceparent: "00-1-3-01", tracestate: null },
      null,
    ]);
  });
});

describe("bodies over the limit", () => {
  const limited = { options: { maxBodyBytes: 100 } };
  const head = (...headers: string[]): string =>
    [`POST ${PATH}/${SECRET} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");
  const sized = (bytes: number): string => `{"transactionId":"t","status":"S"}${" ".repeat(bytes - 34)}`;

  const chunk = `33\r\n${"x".repeat(51)}\r\n`;
  test.concurrent.each([
    ["by what they declare, before they arrive", [head("Content-Length: 101")]],
    ["by what arrives, when they declare nothing", [head("Transfer-Encoding: chunked"), chunk, chunk, chunk]],
    ["instead of being told to go on", [head("Content-Length: 101", "Expect: 100-continue")]],
  ])("are refused %s, and the connection is closed", async (_, parts) => {
    const { text, ended } = await (await open(limited)).raw(...parts);
    await eventually(ended, "the connection to be closed");
    expect(text()).toMatch(/^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/is);
    expect(text().match(/HTTP\/1\.1/g), "one answer, and no other request read").toHaveLength(1);
  });

  test("the limit itself is within", async () => {
    const desk = await open(limited);
    expect((await desk.post(sized(100))).status).toBe(200);
    expect((await desk.post(sized(101))).status).toBe(413);
    expect((await desk.post(sized(100))).status).toBe(200);
    expect(desk.parked).toEqual([]);
  });

  test("the answer is not lost on a sender that goes on sending", async () => {
    // The second for which the connection stays open passes as fast as this test says.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const desk = await open(limited);
    const { socket, text } = await desk.raw(head("Content-Length: 1000000"));
    const send = () =>
      new Promise<unknown>((resolve) => socket.write(Buffer.alloc(1_000), (error) => resolve(error ?? null)));
    while (!text().includes("413")) await once(socket, "data");
    for (let i = 0; i < 5; i++) {
      expect(await send()).toBeNull();
      vi.advanceTimersByTime(199);
      await turn();
    }
    socket.destroy();
  });

  test("Expect: 100-continue is told to go on where the body is within", async () => {
    const desk = await open(limited);
    const body = sized(60);
    const { socket, text } = await desk.raw(head("Content-Length: 60", "Expect: 100-continue"));
    await eventually(() => text().includes("\r\n\r\n"), "100 Continue");
    expect(text()).toMatch(/^HTTP\/1\.1 100 /);
    socket.write(body);
    await eventually(() => text().includes("eventId"), "the answer");
    expect(text()).toMatch(/HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test("a body that is broken off is not taken for a whole one, and gives its place back", async () => {
    // The clock stands still: the half one is never slow, so that it is not given up.
    const desk = await open({ options: { maxBodyBytes: 100, maxInFlight: 1 }, monotonic: () => 0 });
    const { socket } = await desk.raw(head("Content-Length: 50"), sized(34));
    await eventually(async () => (await desk.post("{}")).status === 503, "the half one to hold the place");
    socket.destroy();
    await eventually(async () => (await desk.post(sized(60))).status === 200, "the place to be free");
    expect(desk.published).toHaveLength(1);
    expect(desk.parked.filter(({ body }) => body.length === 34)).toEqual([]);
  });
});

describe("what is not authentic is refused before its body is read", () => {
  const chunked = (path: string, ...headers: string[]): string =>
    [`POST ${path} HTTP/1.1`, "Host: x", "Transfer-Encoding: chunked", ...headers, "", ""].join("\r\n");
  const hmac = { verify: { auth: "hmac", signatureHeader: "x-signature" } } as const;

  test.concurrent.each([
    ["a wrong token", {}, `${PATH}/wrong`, 404],
    ["another path", {}, "/other", 404],
    ["a missing secret", BY_HEADER, PATH, 401],
    ["a missing signature", hmac, PATH, 401],
    ["an address", { verify: { allowedCidrs: ["203.0.113.0/24"] } }, `${PATH}/${SECRET}`, 401],
  ])("%s, and the connection is closed where no length is known", async (_, setup, path, status) => {
    const desk = await open(setup);
    const { text, ended } = await desk.raw(chunked(path));
    await eventually(() => text().includes("\r\n\r\n"), "an answer while the body has not begun");
    expect(text()).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n`, "is"));
    await eventually(ended, "the connection to be closed");
    expect(text().endsWith("\r\n\r\n"), "an empty body").toBe(true);
  });

  test.concurrent("and the sender is not told to go on", async () => {
    const desk = await open();
    const head = `POST ${PATH}/wrong HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`;
    const { text, ended } = await desk.raw(head);
    await eventually(ended, "the connection to be closed");
    expect(text()).toMatch(/^HTTP\/1\.1 404 /);
  });

  test("and takes no place from others, and keeps its connection where the body is short", async () => {
    const desk = await open({ options: { maxInFlight: 1 } });
    const { text, socket } = await desk.raw(
      `POST ${PATH}/wrong HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n`,
    );
    await eventually(() => text().includes(" 404 "), "the answer");
    expect((await desk.post(notification("tx"))).status).toBe(200);
    socket.write(`{}${requestOf(notification("next"))}`);
    await eventually(() => text().includes(" 200 "), "the answer to the next one");
    socket.destroy();
  });
});

describe("a body in pieces of one byte", () => {
  const inPieces = (body: string): string => Array.from(body, (byte) => `1\r\n${byte}\r\n`).join("");

  test("is put together, whatever its size, and the limit is that of its bytes", async () => {
    const desk = await open({ options: { maxBodyBytes: 5_000 } });
    const head = `POST ${PATH}/${SECRET} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const body = notification("tx").padEnd(5_000);
    const { text } = await desk.raw(`${head}${inPieces(body)}0\r\n\r\n${head}${inPieces(`${body} `)}`);
    await eventually(() => text().includes(" 413 "), "both answers");
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
    expect(desk.published.map(({ event }) => event.payload)).toEqual([body]);
  });
});

test("431 for more headers than any sender has, rather than to leave some out", async () => {
  const desk = await open();
  const headers = (count: number): string => Array.from({ length: count }, (_, i) => `x${i}: 1\r\n`).join("");
  const asked = (count: number): string =>
    `POST ${PATH}/${SECRET} HTTP/1.1\r\nContent-Length: 2\r\nHost: x\r\n${headers(count)}\r\n{}`;
  const within = await desk.raw(asked(98));
  await eventually(() => within.text().includes("\r\n\r\n"), "an answer");
  expect(within.text()).toMatch(/^HTTP\/1\.1 200 /);
  within.socket.destroy();
  for (const count of [99, 126, 500]) {
    const { text, ended } = await desk.raw(asked(count));
    await eventually(ended, "the connection to be closed");
    expect(text()).toMatch(/^HTTP\/1\.1 431 /);
  }
});

test("a connection that sends a thousand requests without waiting for an answer is closed", async () => {
  const desk = await open({ write: () => new Promise(() => undefined) });
  const { ended } = await desk.raw(requestOf(notification("tx")).repeat(1_000));
  await eventually(ended, "the connection to be closed");
  expect(desk.served.length).toBeLessThan(50);
});

test("a notification whose event the topic refuses for its size is a dead letter", async () => {
  const answers = [() => Promise.reject(new EventTooLarge("too large"))];
  const desk = await open({
    write: () => (answers.shift() ?? (() => Promise.resolve({ partition: 0, offset: 0 })))(),
  });
  const body = notification("tx-large");
  expect(await desk.post(body)).toMatchObject({ status: 200, text: '{"deadLettered":true}' });
  expect(desk.parked.map((letter) => letter.body.toString())).toEqual([body]);
  // Nothing of it is remembered as published.
  expect((await desk.post(body)).text).toMatch(/^\{"eventId":/);
});

describe("503 with Retry-After", () => {
  const expectBusy = (answer: { status: number; headers: Headers; text: string }): void => {
    expect(answer).toMatchObject({ status: 503, text: "" });
    expect(answer.headers.get("retry-after")).toBe("5");
  };

  test("when Kafka does not acknowledge, an event or a dead letter", async () => {
    let fails = true;
    const write = () =>
      fails ? Promise.reject(new Error("no")) : Promise.resolve({ partition: 1, offset: 2 });
    const desk = await open({ write });
    expectBusy(await desk.post(notification("tx")));
    expectBusy(await desk.post("not json"));
    expect(desk.served.map(({ error }) => (error as Error).message)).toEqual(["no", "no"]);
    fails = false;
    const again = await desk.post(notification("tx"));
    expect(again.status, "what failed is not remembered as published").toBe(200);
    expect(new Set(desk.published.map(({ event }) => event.eventId)).size).toBe(1);
    expect(desk.published).toHaveLength(2);
  });

  test("when it is not open, and not any more once it is", async () => {
    const desk = await open();
    desk.state.open = false;
    expectBusy(await desk.post(notification("tx")));
    desk.state.open = true;
    expect((await desk.post(notification("tx"))).status).toBe(200);
    expect(desk.published).toHaveLength(1);
  });

  test("when more are in progress than may be, and places come free again", async () => {
    const finish: (() => void)[] = [];
    const write = () =>
      new Promise<{ partition: number; offset: number }>((resolve) => {
        finish.push(() => resolve({ partition: 0, offset: 0 }));
      });
    const desk = await open({ write, options: { maxInFlight: 2 } });
    const taken = [desk.post(notification("a")), desk.post(notification("b"))];
    await eventually(() => finish.length === 2, "two in progress");
    expectBusy(await desk.post(notification("c")));
    finish.splice(0).forEach((done) => done());
    for (const answer of await Promise.all(taken)) expect(answer.status).toBe(200);
    const next = desk.post(notification("d"));
    await eventually(() => finish.length === 1, "the next one");
    finish[0]?.();
    expect((await next).status).toBe(200);
  });
});

test("middleware of Hono in front of the route: can answer by itself, and what it throws is a 503", async () => {
  const desk = await open({
    middleware: [
      secureHeaders(),
      (c, next) => {
        if (c.req.header("x-throw") !== undefined) throw new Error("thrown by middleware");
        return c.req.header("x-block") === undefined ? next() : Promise.resolve(c.body("", 403));
      },
    ],
  });
  expect((await desk.post(notification("a"), { "x-block": "1" })).status).toBe(403);
  expect((await desk.post(notification("a"), { "x-throw": "1" })).status).toBe(503);
  expect(desk.published).toEqual([]);
  const answer = await desk.post(notification("a"));
  expect([answer.status, answer.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
});

describe("senders that take their time", () => {
  const begun = requestOf(notification("slow")).slice(0, -1);
  const isServed = (desk: ReceptionDesk) => async (): Promise<boolean> => {
    const answer = await desk.post(notification("tx")).catch(() => null);
    return answer?.status === 200;
  };

  test("give their places to others, and are told to come again", async () => {
    let now = 0;
    const desk = await open({ options: { maxInFlight: 2 }, monotonic: () => now });
    const slow = [await desk.raw(begun), await desk.raw(begun)];
    await eventually(
      async () => (await desk.post(notification("tx"))).status === 503,
      "both places to be held",
    );
    now = 250;
    await eventually(isServed(desk), "a place");
    await eventually(() => slow.some(({ text }) => text() !== ""), "an answer to the slow one");
    const texts = slow.map(({ text }) => text());
    expect(texts.filter((text) => /^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n/is.test(text))).toHaveLength(1);
    // The other one keeps its place: one was enough.
    const other = slow.find(({ text }) => text() === "");
    other?.socket.write("}");
    await eventually(() => other?.text().includes("eventId") === true, "the other one's answer");
  });

  test.concurrent.each([
    ["a head", begun.slice(0, 30)],
    ["a body", begun],
    ["nothing", ""],
  ])("are cut off in the end: %s", async (_, bytes) => {
    const desk = await open({ options: { arrivalTimeoutMs: 100 } });
    const { ended, text } = await desk.raw(bytes);
    await eventually(ended, "the connection to be closed");
    expect(text()).toMatch(/^HTTP\/1\.1 408 /);
    expect(desk.published).toEqual([]);
  });

  test("do not keep others out with connections on which they send nothing", async () => {
    const desk = await open({ options: { maxConnections: 3 } });
    const silent = [await desk.raw(), await desk.raw(), await desk.raw("POST / HTTP/1.1\r\n")];
    await eventually(isServed(desk), "a connection");
    await eventually(() => silent[0]?.ended() === true, "the oldest to be closed");
    expect(silent.map(({ ended }) => ended())).toEqual([true, false, false]);
  });

  test("do not take its place from a sender whose event is being written", async () => {
    let written = (): void => undefined;
    const write = () =>
      new Promise<{ partition: number; offset: number }>((resolve) => {
        written = () => resolve({ partition: 0, offset: 0 });
      });
    const desk = await open({ write, options: { maxConnections: 3 } });
    const answer = desk.post(notification("tx"));
    await eventually(() => desk.published.length === 1, "the event to be under way");
    const silent = [await desk.raw(), await desk.raw(), await desk.raw(), await desk.raw()];
    await eventually(
      () => silent.filter(({ ended }) => ended()).length === 2,
      "two newcomers to lose their places",
    );
    written();
    expect((await answer).status).toBe(200);
  });
});

test.each([
  ["no HTTP", "\x16\x03\x01\x02\x00\x01"],
  ["a header without end", `POST ${PATH} HTTP/1.1\r\nX: ${"x".repeat(40_000)}`],
  [
    "two lengths",
    `POST ${PATH}/${SECRET} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  ],
  [
    "a length and chunks",
    `POST ${PATH}/${SECRET} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ["a negative length", `POST ${PATH}/${SECRET} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`],
])("hostile bodies: %s is no 2xx, and the next request is served", async (_, bytes) => {
  const desk = await open();
  const { text, ended, socket } = await desk.raw(bytes);
  await eventually(() => ended() || text() !== "", "an answer or an end");
  expect(text()).not.toMatch(/HTTP\/1\.1 2/);
  socket.destroy();
  expect((await desk.post(notification("tx"))).status).toBe(200);
  expect(desk.published).toHaveLength(1);
});
