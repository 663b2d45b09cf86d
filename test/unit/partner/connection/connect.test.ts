import net from "node:net";
import tls from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../../dev/cluster/ports.mjs";
import { connectFor } from "../../../../src/partner/connection/connect.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import type { Server } from "../hostile-server.ts";
import { eventually } from "../../../support/eventually.ts";
import { ACCEPT, acceptAt, answer, CREDENTIALS, free, partnerOf, serve } from "../hostile-server.ts";
import { keeping, worldOf } from "../keeping-server.ts";
import { EXPIRED_CERT, TEST_CERT, TEST_KEY } from "../tls-material.ts";

const ok = { onRequest: (socket: net.Socket) => socket.write(answer("200 OK")) };
const secured = { tls: { key: TEST_KEY, cert: TEST_CERT } };

/** Answers CONNECT with `head`, and joins the two ends when that opens a tunnel. */
const proxyTo = (target: { port: number }, head: string): Promise<Server> =>
  serve({
    onRequest: (socket) => {
      socket.write(head);
      if (!head.startsWith("HTTP/1.1 200")) return;
      const onward = net.connect(target.port, "127.0.0.1");
      onTestFinished(() => void onward.destroy());
      onward.on("error", () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    },
  });

const through = (proxy: Server) => {
  const url = new URL(`http://user:p%40ss-word@127.0.0.1:${proxy.port}`);
  return () => url;
};
/** Nothing was sent, for a reason that says this. */
const notSent = (part: string) => ({ kind: "notSent", reason: expect.stringContaining(part) as string });
const established = "HTTP/1.1 200 Connection established\r\n\r\n";

describe("a connection that fails sends nothing", () => {
  it("refused", async () => {
    const outcome = await partnerOf({ url: `http://127.0.0.1:${await freePort()}` }).call(ACCEPT, free());
    expect(outcome).toEqual(notSent("ECONNREFUSED"));
  });

  it("a name that does not exist", async () => {
    // A label of more than 63 characters is no name, so that nobody is asked for it.
    const tooLong = `${"x".repeat(64)}.invalid`;
    const outcome = await partnerOf({ url: `http://${tooLong}` }).call(ACCEPT, free());
    expect(outcome).toEqual(notSent(tooLong));
  });

  it("a handshake that does not end in time", async () => {
    const silent = await serve({});
    const partner = partnerOf({ url: `https://127.0.0.1:${silent.port}` }, { connectTimeoutMs: 100 });
    expect(await partner.call(ACCEPT, free())).toEqual(notSent("no answer within 100 ms"));
    await eventually(() => silent.seen[0]!.closed, "the connection to be closed");
    expect(silent.seen[0]!.text).not.toContain("accept");
  });

  it("a caller that stops waiting", async () => {
    const silent = await serve({});
    const stop = new AbortController();
    const partner = partnerOf({ url: `https://127.0.0.1:${silent.port}` });
    const call = partner.call(ACCEPT, { ...free(), signal: stop.signal });
    await eventually(() => silent.seen.length === 1, "a connection");
    stop.abort(new Error("shutting down"));
    expect(await call).toEqual({ kind: "notSent", reason: "shutting down" });
    await eventually(() => silent.seen[0]!.closed, "the connection to be closed");
  });

  it("a certificate that nobody vouches for", async () => {
    const { outcome, requests } = await acceptAt({ ...ok, ...secured });
    expect(outcome).toEqual(notSent("self-signed"));
    expect(requests()).toBe(0);
  });

  it("a certificate for another name, whose session cannot be resumed either", async () => {
    const server = await serve({ ...ok, tls: { ...secured.tls, maxVersion: "TLSv1.2" } });
    const partner = partnerOf({ url: `https://127.0.0.2:${server.port}` }, { tls: { ca: TEST_CERT } });
    for (let n = 0; n < 3; n++) expect((await partner.call(ACCEPT, free())).kind).toBe("notSent");
    expect(server.seen.every(({ text }) => text === "")).toBe(true);
  });

  it("a partner that does not speak TLS", async () => {
    const server = await serve({ onConnect: (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n") });
    const outcome = await partnerOf({ url: `https://127.0.0.1:${server.port}` }).call(ACCEPT, free());
    expect(outcome.kind).toBe("notSent");
    expect(server.seen[0]!.text).not.toContain("accept");
  });
});

/** A partner with TLS, and of each of its connections whether it resumed a session of an earlier one. */
const serveResuming = async (options: tls.TlsOptions = {}) => {
  const resumed: boolean[] = [];
  const server = await serve({
    ...ok,
    tls: { ...secured.tls, ...options },
    onConnect: (socket) => resumed.push(socket instanceof tls.TLSSocket && socket.isSessionReused()),
  });
  return { server, resumed };
};

describe("TLS", () => {
  it.each(["TLSv1.2", "TLSv1.3"] as const)("%s sessions are resumed", async (maxVersion) => {
    const { server, resumed } = await serveResuming({ maxVersion });
    const partner = partnerOf(server, { tls: { ca: TEST_CERT } });
    for (let n = 0; n < 4; n++) await partner.call(ACCEPT, free());
    expect(resumed).toEqual([false, true, true, true]);
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("sends nothing where its own is refused: %s", async (version) => {
    const refusals = {
      "TLSv1.2": "TLS",
      "TLSv1.3": "the partner refused the TLS client certificate: it closed the connection",
    };
    const strict = { ca: TEST_CERT, requestCert: true, rejectUnauthorized: true };
    const server = await serve({
      ...ok,
      tls: { ...secured.tls, ...strict, minVersion: version, maxVersion: version },
    });
    const proxy = await proxyTo(server, established);
    for (const over of [{}, { proxy: through(proxy) }]) {
      const own = { ca: TEST_CERT, cert: EXPIRED_CERT, key: TEST_KEY };
      const refused = partnerOf(server, { tls: own, ...over });
      for (let n = 0; n < 10; n += 1)
        expect(await refused.call(ACCEPT, free())).toEqual(notSent(refusals[version]));
      expect(server.seen).toEqual([]);
    }
    const taken = partnerOf(server, { tls: { ca: TEST_CERT, cert: TEST_CERT, key: TEST_KEY } });
    for (let n = 0; n < 3; n += 1) expect((await taken.call(ACCEPT, free())).kind).toBe("executed");
  });

  it("leaves it unknown when the answer is lost", async () => {
    const server = await serve({ ...secured, onRequest: (socket) => socket.destroy() });
    const outcome = await partnerOf(server, { tls: { ca: TEST_CERT } }).call(ACCEPT, free());
    expect(outcome).toMatchObject({ kind: "unknown", answer: null });
    expect(server.seen).toHaveLength(1);
  });
});

describe("a proxy", () => {
  it.each([
    ["http", ok],
    ["https", { ...ok, ...secured }],
  ])("makes a tunnel to %s", async (_, behaviour) => {
    const server = await serve(behaviour);
    const proxy = await proxyTo(server, established);
    const partner = partnerOf(server, { proxy: through(proxy), tls: { ca: TEST_CERT } });
    expect((await partner.call(ACCEPT, free())).kind).toBe("executed");
    expect(proxy.seen[0]!.text).toMatch(new RegExp(`^CONNECT 127\\.0\\.0\\.1:${server.port} HTTP/1\\.1\r\n`));
    expect(proxy.seen[0]!.text).toContain(
      `proxy-authorization: Basic ${Buffer.from("user:p@ss-word").toString("base64")}`,
    );
    expect(server.seen[0]!.text).toMatch(/^PUT \/corporate\/v1\/quote\/q-1\/accept HTTP/);
    expect(server.seen[0]!.text).not.toContain("proxy-");
    await eventually(() => proxy.seen[0]!.closed, "the connection to be closed");
  });

  it("lets a tunnel carry call after call where the partner keeps connections", async () => {
    const server = await keeping({ tls: true });
    const proxy = await proxyTo({ port: Number(new URL(server.url).port) }, established);
    const { together } = worldOf(server, { proxy: through(proxy), tls: { ca: TEST_CERT } });
    expect([await together(1), await together(1)]).toEqual([[0], [0]]);
    expect(proxy.seen).toHaveLength(1);
  });

  it.each([
    "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
    "garbage\r\n\r\n",
  ])("that answers %j sends nothing", async (head) => {
    const server = await serve(ok);
    const proxy = await proxyTo(server, head);
    const outcome = await partnerOf(server, { proxy: through(proxy) }).call(ACCEPT, free());
    expect(outcome.kind).toBe("notSent");
    expect(JSON.stringify(outcome)).not.toMatch(/p@ss|p%40ss/);
    await eventually(() => proxy.seen[0]!.closed, "the connection to be closed");
    expect(proxy.seen[0]!.text).not.toContain(CREDENTIALS.accessToken);
    expect(server.seen).toEqual([]);
  });
});

describe("a connection that is given up", () => {
  const NOBODY = "https://127.0.0.1:1";
  const tunnel = { onRequest: (socket: net.Socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n") };
  const opening = (origin: string, proxy: string | null) =>
    connectFor({
      origin: new URL(origin),
      tls: {},
      proxy: proxy === null ? null : () => new URL(proxy),
      clock: systemClock,
    })();

  it.each([
    ["in the TLS handshake", {}, false, /./],
    ["while the proxy is asked", {}, true, /\r\n\r\n$/],
    ["in the TLS handshake behind the proxy", tunnel, true, /\r\n\r\n./],
  ])("%s leaves neither a socket nor a promise behind", async (_, behaviour, isProxy, reached) => {
    const server = await serve(behaviour);
    const { socket, giveUp } = isProxy
      ? opening(NOBODY, server.url)
      : opening(server.url.replace("http", "https"), null);
    await eventually(() => reached.test(server.seen[0]?.text ?? ""), "the connection to get there");
    giveUp();
    await expect(socket).rejects.toThrow(/given up|closed/);
    await eventually(() => server.seen[0]!.closed, "the connection to be closed");
  });

  it("when it is open is closed, for nobody waits for it", async () => {
    const server = await serve({});
    const { socket, giveUp } = opening(server.url, null);
    await socket;
    giveUp();
    await eventually(() => server.seen[0]?.closed === true, "the connection to be closed");
  });
});
