import { expect, test } from "vitest";
import { answer, serve } from "../partner/hostile-server.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { examine, httpServer, NOWHERE } from "./faults.ts";

/** Answers a POST with this status, and a GET as the bridge does. */
const bridgeLike = (posted: string) => (method: string) =>
  method === "POST" ? answer(posted, "") : answer("405 Method Not Allowed", "", "Allow: POST\r\n");

/** What is said of an address, but that it is no https where that is all. */
const linesOf = async (url: string, settings = {}): Promise<string[]> => {
  const { of } = await examine({ ...settings, WEBHOOK_PUBLIC_URL: url });
  return of("webhook").map(({ status, detail, remedy }) => `${status} ${detail}: ${remedy ?? ""}`);
};
const lineOf = async (url: string, settings = {}): Promise<string> => (await linesOf(url, settings))[0]!;

test.each([
  ["401 Unauthorized", "hmac", /^ok answers 401 without a signature \(the secret itself was not tried\)/],
  ["404 Not Found", "path-token", /^ok answers 404 without a signature/],
  ["401 Unauthorized", "path-token", /^ok answers 401/],
  ["404 Not Found", "hmac", /^fail it answers 404.*WEBHOOK_PATH.*WEBHOOK_AUTH/],
  [
    "200 OK",
    "hmac",
    /^fail it answers 200 .*anybody can write events \(this .* dead letter now\): set WEBHOOK_AUTH/,
  ],
])("a bridge's 405 to a GET, and %s to a POST without proof (%s)", async (posted, WEBHOOK_AUTH, said) => {
  const { url, seen } = await httpServer(bridgeLike(posted));
  expect(await lineOf(url, { WEBHOOK_AUTH })).toMatch(said);
  const path = WEBHOOK_AUTH === "path-token" ? "/cambio-bridge-doctor" : "/";
  expect(seen.map(({ text }) => text).join("")).toContain(`POST ${path} HTTP`);
});

test.each(["Allow: GET, POST\r\n", ""])("a 405 with the header %j is a gateway's", async (allow) => {
  const gateway = (posted: string) =>
    httpServer((method) =>
      method === "POST" ? answer(posted, "") : answer("405 Method Not Allowed", "", allow),
    );
  const { url } = await gateway("401 Unauthorized");
  expect(await lineOf(url)).toMatch(/^warn it answers 401 as the bridge does, but 405 to a GET/);
  const other = await gateway("404 Not Found");
  expect(await lineOf(other.url, { WEBHOOK_AUTH: "path-token" })).toMatch(/^fail it answers 404/);
});

test.each([
  ["200 OK", /^fail something else answers there, not the bridge \(200\): .* lost there: .*WEBHOOK_PATH/],
  ["404 Not Found", /^fail it answers 404.*WEBHOOK_PATH/],
  ["502 Bad Gateway", /^fail it answers 502.*WEBHOOK_PORT/],
  ["401 Unauthorized", /^fail something in front answers 401/],
])("%s to everything", async (status, said) => {
  const { url } = await httpServer(() => answer(status, ""));
  expect(await lineOf(url)).toMatch(said);
});

test("nothing listens, nothing answers, http:// where TLS is spoken, and not asked", async () => {
  expect(await lineOf(`http://${NOWHERE}`)).toMatch(/^fail .*ECONNREFUSED.*WEBHOOK_PUBLIC_URL/);
  const silent = await serve({});
  expect(await lineOf(silent.url)).toMatch(/^fail .*does not answer.*the partner cannot deliver/);
  const secured = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  expect(await lineOf(secured.url.replace("https:", "http:"))).toMatch(
    /^fail 127.0.0.1:\d+ speaks TLS there, .*cannot deliver: write https:\/\/ in WEBHOOK_PUBLIC_URL$/,
  );
  expect((await examine({})).line("webhook")).toMatch(/^warn .*was not asked: set WEBHOOK_PUBLIC_URL/);
});

test.each([
  ["405 Method Not Allowed\r\nAllow: POST", /^ok answers/],
  ["405 Method Not Allowed", /^fail it answers 405, and not as the bridge does/],
  ["200 OK", /^fail something else answers there, not the bridge \(200/],
])("WEBHOOK_AUTH=none: only a GET is sent, so that nothing is written; answered %s", async (got, said) => {
  const server = await httpServer((method) => answer(method === "GET" ? got : "200 OK", ""));
  expect(await linesOf(server.url, { WEBHOOK_AUTH: "none", WEBHOOK_SECRET: "" })).toEqual([
    expect.stringMatching(said),
    expect.stringMatching(/^warn WEBHOOK_AUTH=none: anybody who reaches it can write events/),
  ]);
  expect(server.seen.map(({ text }) => text.split(" ", 1)[0]).filter((method) => method !== "")).toEqual([
    "GET",
  ]);
});
