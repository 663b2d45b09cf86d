import diagnostics from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { ACCEPT, acceptAt, answer, CREATE, CREDENTIALS, free, partnerOf, serve } from "./hostile-server.ts";
import { eventually } from "../../support/eventually.ts";
import type { PartnerOptions, PartnerRequest } from "../../../src/partner/types.ts";
import { systemClock, type Clock } from "../../../src/runtime/clock.ts";
import { TEST_CERT, TEST_KEY } from "./tls-material.ts";

const reply = (text: string) => ({
  onRequest: (socket: { write: (text: string) => void }) => socket.write(text),
});

it("what is sent is exactly this", async () => {
  const { server, outcome } = await acceptAt(reply(answer("200 OK", '{"a":1}')));
  expect(outcome).toEqual({
    kind: "executed",
    answer: { httpStatus: 200, body: '{"a":1}', retryAfterMs: null },
  });
  expect(server.seen.map(({ text }) => text)).toEqual([
    [
      "PUT /corporate/v1/quote/q-1/accept HTTP/1.1",
      `host: 127.0.0.1:${server.port}`,
      "connection: keep-alive",
      "Authorization: Bearer secret/access+token",
      "x-token: secret-x-token",
      "Content-Type: application/json",
      "accept: application/json",
      "User-Agent: acme-fx",
      "content-length: 42",
      "",
      '{"counterpartyId":"cp-1","amount":1000.00}',
    ].join("\r\n"),
  ]);
  await eventually(() => server.seen[0]!.closed, "the connection to be closed");
});

it.each([
  ["200 OK", "unclear"],
  ["422 No", "refused"],
  ["503 Later", "unknown"],
])(
  "an answer %s that cannot be processed is judged by its status, and its error is not quoted",
  async (status, kind) => {
    const server = await serve(reply(answer(status, "{}")));
    const now = (): never => {
      throw new Error("a secret");
    };
    const outcome = await partnerOf(server, { clock: { ...systemClock, now } }).call(ACCEPT, free());
    expect(outcome).toMatchObject({ kind, answer: { httpStatus: Number(status.slice(0, 3)), body: null } });
    expect(JSON.stringify(outcome)).not.toContain("a secret");
  },
);

describe("nothing is sent", () => {
  it("when the call is not allowed any more at the last moment", async () => {
    const server = await serve(reply(answer("200 OK")));
    const partner = partnerOf(server);
    let asked = 0;
    const outcome = await partner.call(ACCEPT, {
      ...free(),
      mayCall: () => ++asked === 0,
    });
    expect(outcome.kind).toBe("notSent");
    expect(asked).toBe(1);
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
    expect(server.seen.map(({ text }) => text)).toEqual([""]);
    // The line works, so that silence means something.
    expect((await partner.call(ACCEPT, free())).kind).toBe("executed");
  });

  it("in a later step than the question, so that nothing comes between them", async () => {
    const server = await serve(reply(answer("200 OK")));
    const order: string[] = [];
    const sent = (): unknown => order.push("headers written");
    diagnostics.subscribe("undici:client:sendHeaders", sent);
    onTestFinished(() => void diagnostics.unsubscribe("undici:client:sendHeaders", sent));
    const written = (): unknown => order.push("body written");
    diagnostics.subscribe("undici:request:bodySent", written);
    onTestFinished(() => void diagnostics.unsubscribe("undici:request:bodySent", written));
    await partnerOf(server).call(ACCEPT, {
      ...free(),
      mayCall: () => {
        order.push("asked");
        process.nextTick(() => order.push("next tick"));
        queueMicrotask(() => order.push("microtask"));
        return true;
      },
    });
    expect(order.slice(0, 3)).toEqual(["asked", "headers written", "body written"]);
    expect(order).toHaveLength(5);
  });

  it("when the call's time was up before it was connected, whoever allows it", async () => {
    const server = await serve(reply(answer("200 OK")));
    let nowMs = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => (nowMs += 100),
      within: (ms, signal, pending) => systemClock.within(5_000 + ms, signal, pending),
    };
    const outcome = await partnerOf(server, { clock }).call(ACCEPT, { ...free(), withinMs: 50 });
    expect(outcome.kind).toBe("notSent");
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
    expect(server.seen.map(({ text }) => text)).toEqual([""]);
  });

  it("when the question itself fails", async () => {
    const server = await serve(reply(answer("200 OK")));
    const outcome = await partnerOf(server).call(ACCEPT, {
      ...free(),
      mayCall: () => {
        throw new Error("stopwatch broken");
      },
    });
    expect(outcome).toEqual({ kind: "notSent", reason: "stopwatch broken" });
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
    expect(server.seen[0]!.text).toBe("");
  });

  it("when a credential cannot be a header", async () => {
    const server = await serve(reply(answer("200 OK")));
    const credentials = {
      current: () => ({ accessToken: "a\r\nx-evil: 1", xToken: "x" }),
      reload: () => undefined,
    };
    const outcome = await partnerOf(server, { credentials }).call(ACCEPT, free());
    expect(outcome).toEqual({ kind: "notSent", reason: "invalid Authorization header" });
    await eventually(() => server.seen.every(({ closed }) => closed), "all connections to be closed");
    expect(server.seen.every(({ text }) => text === "")).toBe(true);
  });

  it.each([
    ["a closed connection", (socket: Socket) => socket.end()],
    ["a reset", (socket: Socket) => socket.resetAndDestroy()],
    ["an answer to nothing", (socket: Socket) => socket.write(answer("200 OK"))],
  ])("to a partner that greets with %s", async (_, onConnect) => {
    // On the loopback the greeting is there before the connection is used. Over a longer way no client can see it in time.
    const { outcome, server, requests } = await acceptAt({ onConnect });
    await eventually(() => server.seen.every(({ closed }) => closed), "all connections to be closed");
    expect(outcome.kind).toBe("notSent");
    expect(requests()).toBe(0);
  });
});

describe("an answer that does not arrive leaves it unknown", () => {
  it.each([
    ["a reset", (socket: Socket) => socket.resetAndDestroy()],
    ["the end", (socket: Socket) => socket.end()],
    ["half a status line, and the end", (socket: Socket) => socket.end("HTTP/1.1 20")],
    ["a status line that is none", (socket: Socket) => socket.end("HTTP/1.1 2OO OK\r\n\r\n")],
    ["another protocol", (socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")],
    ["a version of its own", (socket: Socket) => socket.end("HTTP/3.7 200 OK\r\n\r\n")],
    ["only an informational answer", (socket: Socket) => socket.end("HTTP/1.1 103 Early\r\n\r\n")],
    [
      "a change of protocol",
      (socket: Socket) =>
        socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    ],
  ])("%s", async (_, onRequest) => {
    const { outcome, server, requests } = await acceptAt({ onRequest });
    expect(outcome).toMatchObject({ kind: "unknown", answer: null });
    expect(outcome).not.toMatchObject({ reason: "" });
    await eventually(() => server.seen.every(({ closed }) => closed), "all connections to be closed");
    expect(requests()).toBe(1);
  });

  it.each(["000", "099"])("the status %s, which HTTP does not have, and says so", async (status) => {
    const { outcome, server, requests } = await acceptAt(reply(answer(`${status} What`)));
    expect(outcome).toEqual({ kind: "unknown", reason: "the answer has no valid status", answer: null });
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
    expect(requests()).toBe(1);
  });

  it("silence until the deadline", async () => {
    const { outcome, server, requests } = await acceptAt({}, { callTimeoutMs: 100 });
    expect(outcome).toEqual({ kind: "unknown", reason: "no answer within 100 ms", answer: null });
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
    expect(requests()).toBe(1);
  });

  it("a call whose time is up before its own timeout", async () => {
    const server = await serve({});
    const outcome = await partnerOf(server).call(ACCEPT, { ...free(), withinMs: 1_000 });
    const reason = expect.stringMatching(/^no answer within/) as string;
    expect(outcome).toMatchObject({ kind: "unknown", reason });
    expect(server.seen[0]!.text).toContain("accept");
  });

  it.each([
    ["http", {}],
    ["https", { tls: { key: TEST_KEY, cert: TEST_CERT } }],
  ])("a call over %s whose time is up: what has not arrived by then never does", async (_, behaviour) => {
    // More than a partner's system takes in for a program that does not read, less than ours keeps for the way.
    const body = "x".repeat(1_000_000);
    const server = await serve({
      ...behaviour,
      onConnect: (socket) => socket.pause(),
    });
    const outcome = await partnerOf(server, { callTimeoutMs: 300, tls: { ca: TEST_CERT } }).call(
      { ...ACCEPT, body },
      free(),
    );
    expect(outcome).toMatchObject({ kind: "unknown", answer: null });
    server.seen[0]!.socket.resume();
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
    expect(server.seen[0]!.text.length).toBeLessThan(body.length);
  });

  it("a caller that stops waiting", async () => {
    const server = await serve({});
    const stop = new AbortController();
    const call = partnerOf(server).call(ACCEPT, { ...free(), signal: stop.signal });
    await eventually(() => server.seen[0]?.text.endsWith("}") === true, "the whole request");
    stop.abort(new Error("shutting down"));
    expect(await call).toEqual({ kind: "unknown", reason: "shutting down", answer: null });
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
  });
});

describe("the status line decides", () => {
  const cut = { httpStatus: 200, body: null, retryAfterMs: null };

  it.each([
    ["a body cut off by the end", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"],
    ["a chunked body cut off", 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n'],
    ["a chunked body that breaks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ["headers cut off", "HTTP/1.1 200 OK\r\nContent-Ty"],
    ["headers that are none", "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"],
    ["headers without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(300_000)}\r\n\r\n`],
    ["a line and nothing more", "HTTP/1.1 200 OK\r\n"],
  ])("of %s", async (_, text) => {
    const { outcome } = await acceptAt({ onRequest: (socket) => socket.end(text) });
    expect(outcome).toEqual({ kind: "executed", answer: cut });
  });

  it("of a body that does not end in time", async () => {
    const { outcome, server } = await acceptAt(reply("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"), {
      callTimeoutMs: 1_000,
    });
    expect(outcome).toEqual({ kind: "executed", answer: cut });
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
  });

  it("also against execution", async () => {
    const text = "HTTP/1.1 422 No\r\nContent-Length: 50\r\n\r\n{";
    const { outcome } = await acceptAt({ onRequest: (socket) => socket.end(text) });
    expect(outcome).toEqual({ kind: "refused", answer: { ...cut, httpStatus: 422 } });
  });

  it("and a 500 leaves it unknown, answer kept", async () => {
    const { outcome } = await acceptAt(reply(answer("500 Oops", "sorry", "Retry-After: 3\r\n")));
    expect(outcome).toEqual({
      kind: "unknown",
      reason: "the partner answered 500",
      answer: { httpStatus: 500, body: "sorry", retryAfterMs: 3_000 },
    });
  });

  it.each([
    ["HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}"],
    ["HTTP/1.0 200 OK\r\n\r\n{}"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"],
    ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
    [
      "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ],
    [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\nContent-Length: 2\r\n\r\n{}`],
  ])("%.60j is an answer, whole or byte by byte", async (text) => {
    const whole = await acceptAt({ onRequest: (socket) => socket.end(text) });
    expect(whole.outcome).toMatchObject({ kind: "executed", answer: { httpStatus: 200, body: "{}" } });
    if (text.length > 1000) return;
    const bytes = await acceptAt({
      onRequest: (socket) => {
        const next = (at: number): unknown =>
          at < text.length ? socket.write(text.charAt(at), () => setImmediate(next, at + 1)) : socket.end();
        next(0);
      },
    });
    expect(bytes.outcome).toEqual(whole.outcome);
  });

  it("follows no redirect", async () => {
    const elsewhere = await serve(reply(answer("200 OK")));
    for (const status of [301, 302]) {
      const location = `Location: ${elsewhere.url}/\r\n`;
      const { outcome } = await acceptAt(reply(answer(`${status} Go`, "", location)));
      expect(outcome.kind).toBe(status === 301 ? "refused" : "unknown");
    }
    expect(elsewhere.seen).toEqual([]);
  });
});

describe("connections", () => {
  it("carry no second answer over to the next call", async () => {
    const server = await serve({
      onRequest: (socket, index) => {
        socket.write(answer("200 OK", `{"n":${index}}`) + answer("422 No", '{"n":"stray"}') + "garbage");
      },
    });
    const partner = partnerOf(server);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => partner.call(ACCEPT, free())));
    const bodies = outcomes.map((outcome) =>
      outcome.kind === "executed" ? outcome.answer.body : outcome.kind,
    );
    expect(new Set(bodies)).toEqual(new Set(Array.from({ length: 20 }, (_, n) => `{"n":${n}}`)));
  });

  it("are not opened after closing, which waits for what is open", async () => {
    const server = await serve({});
    const partner = partnerOf(server);
    const call = partner.call(ACCEPT, free());
    await eventually(() => server.seen[0]?.text.endsWith("}") === true, "the whole request");
    let closed = false;
    const closing = partner.close().then(() => (closed = true));
    expect((await partner.call(ACCEPT, free())).kind).toBe("notSent");
    expect(closed).toBe(false);
    server.seen[0]!.socket.write(answer("200 OK"));
    expect((await call).kind).toBe("executed");
    await closing;
    expect(server.seen.filter(({ text }) => text !== "")).toHaveLength(1);
  });
});

it("an answer that arrived in time is read although the process had no time to look before the deadline", async () => {
  const onRequest = (socket: Socket): void => {
    socket.write(answer("200 OK"));
    const until = performance.now() + 500;
    while (performance.now() < until);
  };
  const { outcome } = await acceptAt({ onRequest }, { callTimeoutMs: 400 });
  expect(outcome.kind).toBe("executed");
});

describe("the body of a 2xx", () => {
  const failed = '{"success":false,"errors":["no funds"]}';
  const answered = (request: PartnerRequest, text: string | Buffer, over: Partial<PartnerOptions> = {}) =>
    serve({ onRequest: (socket) => socket.end(text) }).then((server) =>
      partnerOf(server, over).call(request, free()),
    );

  it.each([
    ["whole", answer("200 OK", failed), { body: failed }],
    ["cut off", `HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n${failed}`, { body: null }],
    ["larger than is kept", answer("200 OK", failed.replace("}", `,"x":"${"y".repeat(2_000)}"}`)), {}],
  ])("can say that an accept failed: %s", async (_, text, kept) => {
    expect(await answered(ACCEPT, text)).toMatchObject({
      kind: "unclear",
      answer: { httpStatus: 200, ...kept },
    });
  });

  it.each([0, 8])("is judged whole where only %i bytes are kept of it", async (maxResponseBytes) => {
    const behind = `{"x":"${"y".repeat(900_000)}",`;
    const packed = gzipSync(`${behind}"success":false}`);
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
    for (const text of [
      answer("200 OK", failed),
      answer("200 OK", `${behind}"errors":["no funds"]}`),
      Buffer.concat([Buffer.from(head), packed]),
    ])
      expect(await answered(ACCEPT, text, { maxResponseBytes })).toMatchObject({
        kind: "unclear",
        reason: "the partner answered 200, and says in the body that it failed",
      });
    expect(
      await answered(ACCEPT, answer("200 OK", `${behind}"transactionId":"tx-1"}`), { maxResponseBytes }),
    ).toMatchObject({ kind: "executed", answer: { transactionId: "tx-1" } });
    expect(
      await answered(CREATE, answer("201 Created", `${behind}"quoteId":"q-7"}`), { maxResponseBytes }),
    ).toMatchObject({ kind: "executed", answer: { quoteId: "q-7" } });
  });

  it("proves nothing of an accept where it is a page, or packed unheard of, or names another quote", async () => {
    for (const [text, kept] of [
      [answer("200 OK", "<html>blocked</html>", "Content-Type: text/html\r\n"), "<html>blocked</html>"],
      [answer("200 OK", "{}", "Content-Encoding: zstd\r\n"), "{}"],
      [answer("200 OK", '{"quoteId":"q-2"}'), '{"quoteId":"q-2"}'],
    ] as const) {
      expect(await answered(ACCEPT, text)).toMatchObject({ kind: "unclear", answer: { body: kept } });
      expect(await answered(CREATE, text)).toMatchObject({ kind: "executed", answer: { body: kept } });
    }
  });

  it("says that it failed in the partner's own words", async () => {
    const failedWhen = [{ pointer: "/status", value: "ERROR" }];
    const text = answer("200 OK", '{"status":"Error"}');
    for (const request of [ACCEPT, CREATE]) {
      expect(await answered(request, text, { failedWhen })).toMatchObject({ kind: "unclear" });
      expect(await answered(request, text)).toMatchObject({ kind: "executed" });
    }
  });

  it("may be nothing but the new quote's id, unless a pointer says where that is", async () => {
    const created = (text: string, over = {}) => answered(CREATE, text, over);
    for (const body of ["q-7", '"q-7"', "q-7\r\n"])
      expect(await created(answer("201 Created", body))).toMatchObject({ answer: { quoteId: "q-7" } });
    for (const [text, over] of [
      [answer("201 Created", "q-7"), { quoteIdPointer: "/id" }],
      ["HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nq-7", {}],
    ] as const)
      expect(await created(text, over)).not.toHaveProperty("answer.quoteId");
    const located = answer("201 Created", "q-7", "Location: /corporate/v1/quote/q-8\r\n");
    expect(await created(located)).toMatchObject({ answer: { quoteId: "q-8" } });
  });

  it("holds the fields that are asked for, also of a refusal, however little is kept of it", async () => {
    const resultFields = [
      { name: "rate", pointer: "/data/rate" },
      { name: "token", pointer: "/token" },
    ];
    const body = `{"data":{"rate":5.10},"token":"${CREDENTIALS.xToken}","quoteId":"q-1"}`;
    for (const status of ["200 OK", "422 No"])
      expect(
        await answered(ACCEPT, answer(status, body), { resultFields, maxResponseBytes: 8 }),
      ).toMatchObject({ answer: { fields: { rate: "5.10", token: "***" } } });
  });

  it("shows no secret in an id", async () => {
    const text = answer("200 OK", `{"transactionId":"tx ${CREDENTIALS.xToken}"}`);
    expect(await answered(ACCEPT, text)).toMatchObject({ answer: { transactionId: "tx ***" } });
  });

  it("can say that a create failed, unless it names the quote", async () => {
    expect(await answered(CREATE, answer("200 OK", failed))).toMatchObject({ kind: "unclear" });
    for (const text of [
      answer("200 OK", failed.replace("{", '{"quoteId":"q-7",')),
      answer("200 OK", failed, "Location: /corporate/v1/quote/q-7\r\n"),
    ])
      expect(await answered(CREATE, text)).toMatchObject({ kind: "executed", answer: { quoteId: "q-7" } });
  });

  it("need not be there: the Location of a create names the quote", async () => {
    const location = "Location: https://partner.example/corporate/v1/quote/q-7\r\n";
    for (const text of [
      answer("201 Created", "", location),
      `HTTP/1.1 201 Created\r\n${location}Content-Length: 50\r\n\r\n{`,
      answer("201 Created", '{"status":"created"}', location),
    ])
      expect(await answered(CREATE, text)).toMatchObject({ kind: "executed", answer: { quoteId: "q-7" } });
    expect(await answered(CREATE, answer("201 Created", '{"id":"q-8"}', location))).toMatchObject({
      answer: { quoteId: "q-8" },
    });
    expect(await answered(ACCEPT, answer("200 OK", "", location))).not.toHaveProperty("answer.quoteId");
  });

  it.each(["200 OK", "201 Created"])("may hold a byte that is no UTF-8: %s", async (status) => {
    const body = Buffer.from('{"quoteId":"q-1","city":"S\u00e3o Paulo"}', "latin1");
    const text = Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      ),
      body,
    ]);
    const kept = '{"quoteId":"q-1","city":"S\uFFFDo Paulo"}';
    expect(await answered(ACCEPT, text)).toMatchObject({ kind: "executed", answer: { body: kept } });
    expect(await answered(CREATE, text)).toMatchObject({
      kind: "executed",
      answer: { body: kept, quoteId: "q-1" },
    });
  });
});
