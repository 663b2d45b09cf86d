import { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { answer, serve } from "../partner/hostile-server.ts";
import { EXPIRED_CERT, TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { examine, fileWith, httpServer, NOWHERE } from "./faults.ts";

const dated = (ms: number): string => `Date: ${new Date(ms).toUTCString()}\r\n`;
const today = (): string => answer("200 OK", "[]", dated(Date.now()));

test("a partner in order: one GET of today's log, and nothing else", async () => {
  const partner = await httpServer(today);
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
  ["302 Found", /^fail the partner answers 302.*PARTNER_BASE_URL/],
  ["400 Bad Request", /^fail the partner answers 400.*PARTNER_LOG_END_PARAMETER/],
  ["429 Too Many Requests", /^warn .*fewer calls/],
  ["500 Internal Server Error", /^fail the partner answers 500/],
])("an answer of %s", async (status, said) => {
  const partner = await httpServer(() => answer(status, "{}", dated(Date.now())));
  expect((await examine({ PARTNER_BASE_URL: partner.url })).line("partner", "tokens")).toMatch(said);
});

test("a web page instead of the API", async () => {
  const partner = await httpServer(() => answer("200 OK", "<html>", "Content-Type: text/html\r\n"));
  const { line } = await examine({ PARTNER_BASE_URL: partner.url });
  expect(line("partner", "tokens")).toMatch(/^fail a web page answers.*PARTNER_BASE_URL/);
  expect(line("partner", "clock")).toMatch(/^warn .*no Date header/);
});

test.each([
  [-600, /^fail ours is 10 min ahead: around midnight in America\/Sao_Paulo/],
  [600, /^fail ours is 10 min behind/],
  [-20, /^warn ours is (19|20|21) s ahead.*NTP/],
])("a partner whose clock is off by %i s", async (seconds, said) => {
  const partner = await httpServer(() => answer("200 OK", "[]", dated(Date.now() + seconds * 1_000)));
  expect((await examine({ PARTNER_BASE_URL: partner.url })).line("partner", "clock")).toMatch(said);
});

test("certificates: unknown, expired", async () => {
  const untrusted = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  const first = await examine({ PARTNER_BASE_URL: untrusted.url });
  expect(first.line("partner")).toMatch(/^fail .*not trusted.*PARTNER_TLS_CA_FILE/);
  const expired = await serve({ tls: { key: TEST_KEY, cert: EXPIRED_CERT } });
  const ca = { PARTNER_TLS_CA_FILE: fileWith(EXPIRED_CERT) };
  expect((await examine({ ...ca, PARTNER_BASE_URL: expired.url })).line("partner")).toMatch(
    /^fail its certificate has expired/,
  );
});

test("no such host; a missing proxy, and one that wants credentials", async () => {
  const none = await examine({ PARTNER_BASE_URL: "https://partner.invalid" });
  expect(none.line("partner")).toMatch(/^fail the name partner.invalid cannot be resolved.*PARTNER_BASE_URL/);
  const refused = await examine({ PARTNER_PROXY_URL: `http://user:pass-word@${NOWHERE}` });
  expect(refused.line("partner", "proxy")).toMatch(/^fail nothing listens at 127.0.0.1:1.*PARTNER_PROXY_URL/);
  expect(JSON.stringify(refused.checks)).not.toContain("pass-word");
  const proxy = await httpServer(() => answer("407 Proxy Authentication Required"));
  const wanting = await examine({ PARTNER_PROXY_URL: proxy.url });
  expect(wanting.line("partner")).toMatch(
    /^fail .*proxy answered 407.*user and password into PARTNER_PROXY_URL/,
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
    expect((await examine({ PARTNER_BASE_URL: `http://127.0.0.1:${port}` })).line("partner", "tokens")).toBe(
      `fail 127.0.0.1:${port} speaks TLS there, and we do not: write https:// in PARTNER_BASE_URL`,
    );
});
