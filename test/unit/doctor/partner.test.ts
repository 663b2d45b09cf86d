import { X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { reach } from "../../../src/doctor/connection.ts";
import { compareClocks } from "../../../src/doctor/partner.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { answer, serve } from "../partner/hostile-server.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { examine, httpServer, NOWHERE } from "./faults.ts";

const DATE = `Date: ${new Date().toUTCString()}\r\n`;

const lineAt = async (text: string): Promise<string> => {
  const { url } = await httpServer(() => text);
  return (await examine({ PARTNER_BASE_URL: url })).line("partner", "tokens");
};

test("a partner in order: one GET of today's log, and nothing else", async () => {
  const partner = await httpServer(() => answer("200 OK", "[]", DATE));
  const { of, line } = await examine({ PARTNER_BASE_URL: partner.url });
  expect(of("partner").map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  expect(line("partner", "clock")).toMatch(/^ok they agree/);
  const asked = partner.seen.map(({ text }) => text).filter((text) => text !== "");
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^GET \/corporate\/v1\/webhook\/logs\?startDate=/);
  expect(asked[0]?.split("\r\n", 1)[0]).toContain("eventType=TRANSACTION_STATUS_UPDATED");
});

test.each([
  ["401 Unauthorized", /^fail the partner answers 401.*PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN/],
  ["403 Forbidden", /^fail the partner answers 403.*PARTNER_ACCESS_TOKEN/],
  ["404 Not Found", /^fail the partner answers 404.*PARTNER_BASE_URL/],
  ["400 Bad Request", /^fail the partner answers 400.*PARTNER_LOG_END_PARAMETER/],
  ["429 Too Many Requests", /^warn .*answers 429/],
  ["500 Internal Server Error", /^fail the partner answers 500/],
  ["204 No Content", /^ok .*\(204\)/],
])("an answer of %s", async (status, said) => {
  expect(await lineAt(answer(status, status.startsWith("204") ? "" : "{}", DATE))).toMatch(said);
});

test("a 2xx whose body is not the log, and the first page of several", async () => {
  expect(await lineAt(answer("200 OK", "<html>", DATE))).toMatch(
    /^fail the partner answers 200, but not with its log: .* breaks off, or is not JSON.*PARTNER_BASE_URL/,
  );
  expect(await lineAt(answer("200 OK", '{"items":[],"next":"/page/2"}', DATE))).toMatch(
    /^warn .*not as a whole: .* holds \/next, which may say .*: read "When a run is not complete"/,
  );
});

test("no answer within PARTNER_CALL_TIMEOUT, and a body that stops", async () => {
  const answering = async (text: string): Promise<string> => {
    const partner = await serve({ onRequest: (socket) => socket.write(text) });
    const over = { PARTNER_BASE_URL: partner.url, PARTNER_CALL_TIMEOUT: "1s" };
    return (await examine(over)).line("partner", "tokens");
  };
  expect(await answering("")).toMatch(/^fail no answer came .*\(no answer within 1000 ms\)/);
  expect(await answering(`HTTP/1.1 200 OK\r\n${DATE}Content-Length: 100\r\n\r\n[`)).toMatch(
    /^fail .*breaks off.*\(no answer within 1000 ms\)/,
  );
});

test.each([
  [3, /^ok they agree$/],
  [20, /^warn ours is 20 s ahead$/],
  [-20, /^warn ours is 20 s behind$/],
  [3_600, /^fail ours is 3600 s ahead: .*COMMANDS_MAX_AGE.*America\/Sao_Paulo/],
  [-600, /^fail ours is 600 s behind: /],
  [null, /^warn its answer has no Date header/],
])("a clock of ours that is %s s ahead", (seconds, said) => {
  const nowMs = Date.UTC(2026, 0, 5, 12);
  const theirs = seconds === null ? undefined : new Date(nowMs - seconds * 1_000).toUTCString();
  const { status, detail } = compareClocks(theirs, nowMs + 500);
  expect(`${status} ${detail}`).toMatch(said);
});

test("a certificate that is not trusted, and one that expires soon", async () => {
  const { url } = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  const said = async (ca: string | undefined, leftDays: number) => {
    const target = {
      name: "partner",
      url: new URL(url),
      tls: { ca },
      setting: "PARTNER_BASE_URL",
      until: "",
    };
    const nowMs = Date.parse(new X509Certificate(TEST_CERT).validTo) - leftDays * 86_400_000;
    const bounds = { clock: { ...systemClock, now: () => nowMs }, signal: new AbortController().signal };
    const found = await reach({ ...target, caSetting: "PARTNER_TLS_CA_FILE" }, bounds);
    return found.map(({ status, detail, remedy }) => `${status} ${detail}: ${remedy}`).join();
  };
  expect(await said(undefined, 90)).toMatch(/^fail .*not trusted.*PARTNER_TLS_CA_FILE/);
  expect(await said(TEST_CERT, 13)).toBe("warn its certificate expires in 13 days: have it renewed");
  expect(await said(TEST_CERT, 15)).toBe("");
});

test("a missing proxy, and one that wants credentials", async () => {
  const refused = await examine({ PARTNER_PROXY_URL: `http://user:pass-word@${NOWHERE}` });
  expect(refused.line("partner", "proxy")).toMatch(/^fail nothing listens at 127.0.0.1:1.*PARTNER_PROXY_URL/);
  expect(JSON.stringify(refused.checks)).not.toContain("pass-word");
  const proxy = await httpServer(() => answer("407 Proxy Authentication Required"));
  const wanting = await examine({ PARTNER_PROXY_URL: proxy.url });
  expect(wanting.line("partner")).toMatch(
    /^fail .*proxy answered 407.*user and password in PARTNER_PROXY_URL/,
  );
});

test("http:// to a port that speaks TLS, also one that answers it with 400", async () => {
  const secured = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  const explaining = await serve({
    onConnect: (socket) =>
      socket.once("data", (first) => {
        if (first[0] !== 0x16) return void socket.end(answer("400 Bad Request", "HTTP to an HTTPS port"));
        socket.removeAllListeners("data").pause();
        socket.unshift(first);
        new TLSSocket(socket, { isServer: true, key: TEST_KEY, cert: TEST_CERT }).on(
          "error",
          () => undefined,
        );
      }),
  });
  for (const { port } of [secured, explaining])
    expect((await examine({ PARTNER_BASE_URL: `http://127.0.0.1:${port}` })).of("partner")).toContainEqual(
      expect.objectContaining({
        status: "fail",
        detail: expect.stringMatching("speaks TLS there, and we do not") as string,
        remedy: "write https:// in PARTNER_BASE_URL",
      }),
    );
});
