import type net from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { ACCEPT, answer, CREDENTIALS, free } from "./hostile-server.ts";
import { chunked, chunkOf, DAY, failureOf, hastyClock, logOf, textOf } from "./log-reader.ts";

const HEAD_TIMEOUT = /no answer within 300 ms/;
const LOG = '{"entries":[{"id":1}]}';
const packed = (encoding: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    ),
    bytes,
  ]);

/** An answer that breaks off, and how that is told. */
const CUT = answer("200 OK", LOG).slice(0, -5);
const CUT_GZIP = gzipSync(LOG).subarray(0, -9);
const HALF = `${chunked()}2\r\n[1\r\n`;
const RESET = /ECONNRESET|closed|terminated|abort/i;

describe("a look at the log", () => {
  it("asks exactly this", async () => {
    const { server, fetch, allClosed } = await logOf((socket) => socket.write(answer("200 OK", LOG)));
    const { httpStatus, retryAfterMs, headers, body } = await fetch();
    expect({ httpStatus, retryAfterMs }).toEqual({ httpStatus: 200, retryAfterMs: null });
    expect(headers["content-length"]).toBe(String(LOG.length));
    expect(await textOf(body)).toBe(LOG);
    expect(server.seen.map(({ text }) => text)).toEqual([
      [
        "GET /corporate/v1/webhook/logs?startDate=2026-01-05&endtDate=2026-01-06&eventType=TRANSACTION_STATUS_UPDATED HTTP/1.1",
        `host: 127.0.0.1:${server.port}`,
        "connection: keep-alive",
        "Authorization: Bearer secret/access+token",
        "x-token: secret-x-token",
        "Content-Type: application/json",
        "accept: application/json",
        "User-Agent: acme-fx",
        "",
        "",
      ].join("\r\n"),
    ]);
    await eventually(allClosed, "the connection to be closed");
  });

  it("leaves the event type out, and calls the end as it is told to", async () => {
    const { server, fetch } = await logOf((socket) => socket.write(answer("200 OK", LOG)), {
      logEndParameter: "end[date]",
    });
    await textOf((await fetch({ ...DAY, eventType: null })).body);
    expect(server.seen[0]!.text).toMatch(
      /^GET \/corporate\/v1\/webhook\/logs\?startDate=2026-01-05&end%5Bdate%5D=2026-01-06 HTTP/,
    );
  });

  it("undoes an encoding, which nobody asked for", async () => {
    const { fetch } = await logOf((socket) => socket.write(packed("gzip", gzipSync(LOG))));
    expect(await textOf((await fetch()).body)).toBe(LOG);
  });
});

describe("a log that does not answer as it should", () => {
  type Case = [what: string, onRequest: (socket: net.Socket) => void, reason: RegExp, callTimeoutMs?: number];

  it.each<Case>([
    ["a head that does not come", () => undefined, HEAD_TIMEOUT, 300],
    ["half of a head", (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-"), HEAD_TIMEOUT, 300],
    ["no HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"), /HTTP|Parse|closed/i],
    ["a reset", (socket) => socket.resetAndDestroy(), /ECONNRESET|closed/],
    ["a status that is none", (socket) => socket.end(answer("099 What")), /^the answer has no valid status$/],
    ["an end without an answer", (socket) => socket.end(), /closed/],
  ])("%s: rejects with a reason", async (_, onRequest, reason, callTimeoutMs = 5_000) => {
    const { fetch, allClosed } = await logOf(onRequest, { callTimeoutMs });
    await expect(fetch()).rejects.toThrow(reason);
    await eventually(allClosed, "the connection to be closed");
  });

  it.each<Case>([
    ["stalls between chunks", (socket) => socket.write(HALF), /no answer within 1000 ms/, 1_000],
    ["is cut", (socket) => socket.end(CUT), /closed|terminated|abort/i],
    ["is reset", (socket) => socket.write(CUT, () => socket.resetAndDestroy()), RESET],
    ["breaks its own chunks", (socket) => socket.write(`${HALF}nonsense\r\n`), /HTTP|Parse|chunk/i],
    ["ends within gzip", (socket) => socket.end(packed("gzip", CUT_GZIP)), /unexpected end/],
    ["is no gzip", (socket) => socket.write(packed("gzip", Buffer.from(LOG))), /header/],
    ["is packed otherwise", (socket) => socket.write(packed("zstd", Buffer.from(LOG))), /zstd/],
  ])("a body that %s: throws with a reason", async (_, onRequest, reason, callTimeoutMs = 5_000) => {
    const { fetch, allClosed } = await logOf(onRequest, { callTimeoutMs });
    const { httpStatus, body } = await fetch();
    expect(httpStatus).toBe(200);
    const failure = await failureOf(body);
    expect(failure).not.toBe("read to its end");
    expect(failure).toMatch(reason);
    await eventually(allClosed, "the connection to be closed");
  });

  it("a body that trickles without end comes to one by its time", async () => {
    const { fetch, allClosed } = await logOf(
      (socket) => {
        socket.write(chunked());
        const drip = setInterval(() => socket.write(chunkOf(" ")), 20);
        socket.on("close", () => clearInterval(drip));
      },
      { clock: hastyClock, callTimeoutMs: 10_000 },
    );
    expect(await failureOf((await fetch()).body)).toBe("the answer took longer than ten minutes");
    await eventually(allClosed, "the connection to be closed");
  });

  it("a connection that is reset while nobody reads the body is told to whoever reads it later", async () => {
    const { server, fetch, allClosed } = await logOf((socket) => socket.write(`${chunked()}1\r\n[\r\n`));
    const { body } = await fetch();
    server.seen[0]!.socket.resetAndDestroy();
    await eventually(allClosed, "the connection to be closed");
    await systemClock.sleep(50);
    expect(await failureOf(body)).not.toBe("read to its end");
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(300_000_000))],
    ["br", brotliCompressSync(Buffer.alloc(100_000_000))],
  ])("a bomb of %s stops at the bound, in little memory", { timeout: 30_000 }, async (encoding, bytes) => {
    const { fetch, allClosed } = await logOf((socket) => socket.write(packed(encoding, bytes)));
    const { body } = await fetch();
    const before = process.memoryUsage.rss();
    expect(await failureOf(body)).toMatch(/PARTNER_LOG_MAX_BYTES allows, 1000000 bytes/);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1_048_576);
    await eventually(allClosed, "the connection to be closed");
  });
});

describe("an answer that is none of the log's", () => {
  it("is told with its status, its patience and a little text without secrets", async () => {
    const text = `no ${CREDENTIALS.accessToken} ${"x".repeat(100_000)}`;
    const { server, fetch, allClosed } = await logOf((socket) =>
      socket.write(answer("429 Too Many Requests", text, "Retry-After: 7\r\n")),
    );
    const { httpStatus, retryAfterMs, body } = await fetch();
    expect({ httpStatus, retryAfterMs }).toEqual({ httpStatus: 429, retryAfterMs: 7_000 });
    const shown = await textOf(body);
    expect(shown.length).toBeLessThanOrEqual(4_096);
    expect(shown).toMatch(/^no \*\*\* x{4000}/);
    expect(server.seen).toHaveLength(1);
    await eventually(allClosed, "the connection to be closed");
  });

  it.each(["302 Found", "503 Service Unavailable"])("%s is not followed, nor tried again", async (status) => {
    const { server, fetch } = await logOf((socket) =>
      socket.write(answer(status, "nothing here", "Location: /elsewhere\r\n")),
    );
    const { httpStatus, body } = await fetch();
    expect(httpStatus).toBe(Number(status.slice(0, 3)));
    expect(await textOf(body)).toBe("nothing here");
    expect(server.seen).toHaveLength(1);
  });

  it("401: it is tried once more with credentials that were read again; twice is the answer", async () => {
    let reloads = 0;
    const { server, fetch } = await logOf((socket) => socket.write(answer("401 Unauthorized", "no")), {
      credentials: {
        current: () => ({ ...CREDENTIALS, accessToken: `token-${reloads}` }),
        reload: () => (reloads += 1),
      },
    });
    const { httpStatus, body } = await fetch();
    expect({ httpStatus, text: await textOf(body) }).toEqual({ httpStatus: 401, text: "no" });
    expect(server.seen.map(({ text }) => /Bearer (\S+)/.exec(text)?.[1])).toEqual(["token-0", "token-1"]);
  });
});

describe("the end of a look at the log", () => {
  const endless = (socket: net.Socket): void => void socket.write(HALF);

  it("comes when the reader leaves", async () => {
    const { fetch, allClosed } = await logOf(endless);
    for await (const chunk of (await fetch()).body) {
      expect(Buffer.from(chunk).toString()).toBe("[1");
      break;
    }
    await eventually(allClosed, "the connection to be closed");
  });

  it.each([
    ["before the head", (): void => undefined],
    ["within the body", endless],
  ])("comes at once when the signal aborts %s, with its reason", async (when, onRequest) => {
    const { server, fetch, stop, allClosed } = await logOf(onRequest, { callTimeoutMs: 60_000 });
    const outcome = fetch().then(
      ({ body }) => failureOf(body),
      (error: unknown) => (error as Error).message,
    );
    await eventually(() => server.seen[0]?.text.includes("\r\n\r\n"), "the request");
    if (when === "within the body") await systemClock.sleep(50);
    stop.abort(new Error("somebody stopped it"));
    expect(await outcome).toBe("somebody stopped it");
    await eventually(allClosed, "the connection to be closed");
    await expect(fetch(), "nor does another begin").rejects.toThrow("somebody stopped it");
  });

  it("comes with the end of the process, which waits for nothing of it", async () => {
    const { partner, fetch, allClosed } = await logOf(endless, { callTimeoutMs: 60_000 });
    const { body } = await fetch();
    const failure = failureOf(body);
    await partner.close();
    expect(await failure).toBe("the process stops");
    await eventually(allClosed, "the connection to be closed");
    await expect(fetch()).rejects.toThrow("the process stops");
  });
});

describe("beside commands", () => {
  it("neither takes a connection of theirs nor waits for one", async () => {
    const { server, partner, fetch } = await logOf(
      (socket, index) => {
        if (server.seen[index]!.text.startsWith("PUT")) socket.write(answer("200 OK"));
        else socket.write(HALF);
      },
      { maxConnections: 1, callTimeoutMs: 60_000 },
    );
    const permit = partner.permit();
    permit.take();
    const body = (await fetch()).body[Symbol.asyncIterator]();
    await body.next();
    expect((await partner.call(ACCEPT, free())).kind).toBe("executed");
    permit.release();
    expect(partner.permit().isFree()).toBe(true);
    expect(server.seen[0]!.closed, "its connection stays").toBe(false);
    await body.return?.();
  });

  it("does not wait for a turn for ever", async () => {
    const { partner, server, fetch } = await logOf(() => undefined, {
      maxConnections: 1_000,
      maxRequestsPerSecond: 1,
      clock: hastyClock,
    });
    // Later ones have their turn first, too.
    for (let n = 0; n < 1_000; n++) void partner.permit().untilFree(new AbortController().signal);
    await systemClock.sleep(0);
    await expect(fetch()).rejects.toThrow("commands left no turn of PARTNER_MAX_RPS free for five minutes");
    expect(server.seen).toEqual([]);
  });
});
