import { expect, test } from "vitest";
import { answer, serve } from "../partner/hostile-server.ts";
import { examine, httpServer, NOWHERE } from "./faults.ts";

const bridgeLike = (posted: string) => (method: string) =>
  method === "POST" ? answer(posted, "") : answer("405 Method Not Allowed", "", "Allow: POST\r\n");

const lineOf = async (url: string, settings = {}): Promise<string> =>
  (await examine({ ...settings, WEBHOOK_PUBLIC_URL: url })).line("webhook");

const OPEN: unknown = expect.stringMatching(
  /^warn WEBHOOK_AUTH=none: anybody who reaches it can write events/,
);
/** What is said of an address whose notifications need no proof. */
const openLines = async (url: string): Promise<string[]> => {
  const settings = { WEBHOOK_AUTH: "none", WEBHOOK_SECRET: "", WEBHOOK_PUBLIC_URL: url };
  const checks = (await examine(settings)).of("webhook");
  return checks.map(({ status, detail, remedy }) => `${status} ${detail}: ${remedy ?? ""}`);
};

test("401 without a signature, and 405 to a GET, is in order", async () => {
  const { url } = await httpServer(bridgeLike("401 Unauthorized"));
  expect(await lineOf(url)).toMatch(/^ok answers from outside, and 401/);
});

test.each([
  ["200 OK", /^fail it answers 200 .*anybody can write events.*WEBHOOK_AUTH/],
  ["404 Not Found", /^fail it answers 404.*WEBHOOK_PATH/],
  ["301 Moved", /^fail it redirects \(301\)/],
  ["502 Bad Gateway", /^fail the ingress answers 502.*WEBHOOK_PORT/],
  ["503 Service Unavailable", /^fail it answers 503.*\/readyz/],
  ["504 Gateway Timeout", /^fail the ingress answers 504/],
  ["403 Forbidden", /^fail something in front answers 403/],
  ["500 Internal Server Error", /^fail it answers 500, and not 401/],
])("%s to everything", async (status, said) => {
  const { url } = await httpServer(() => answer(status, ""));
  expect(await lineOf(url)).toMatch(said);
});

test.each(["403 Forbidden", "404 Not Found"])(
  "something in front that passes only POST, and answers %s to a GET",
  async (got) => {
    const { url } = await httpServer((method) => answer(method === "POST" ? "401 Unauthorized" : got, ""));
    expect(await lineOf(url)).toMatch(
      /^warn it answers 401 as the bridge does, but 40[34] to a GET.*webhook_requests_total/,
    );
  },
);

test("a gateway that asks everybody for credentials is not the bridge's 401", async () => {
  const { url } = await httpServer(() => answer("401 Unauthorized", ""));
  expect(await lineOf(url)).toMatch(/^fail something in front answers 401, to a GET 401/);
});

test("path-token: the request holds no token, also where the given address does", async () => {
  const server = await httpServer(bridgeLike("404 Not Found"));
  const settings = { WEBHOOK_AUTH: "path-token" };
  const { line } = await examine(settings, "--webhook-url", `${server.url}/hooks/webhook-secret-of-tests`);
  expect(line("webhook", "127.0.0.1")).toMatch(/^ok /);
  const asked = server.seen.map(({ text }) => text).join("");
  expect(asked).toContain("POST /hooks/cambio-bridge-doctor HTTP");
  expect(asked).not.toContain("webhook-secret-of-tests");
});

test("user and password of the address are sent as such, and stand in no line", async () => {
  const server = await httpServer(bridgeLike("401 Unauthorized"));
  const address = server.url.replace("http://", "http://ana:s3%20cret@");
  const said = (await examine({}, "--webhook-url", address)).line("webhook", "127.0.0.1");
  expect(said).toMatch(/^ok answers from outside, and 401/);
  expect(said).not.toContain("s3");
  const basic = Buffer.from("ana:s3 cret").toString("base64");
  expect(
    server.seen
      .map(({ text }) => text)
      .join("")
      .toLowerCase(),
  ).toContain(`authorization: basic ${basic.toLowerCase()}`);
});

test("nothing listens, nothing answers, and not asked", async () => {
  expect(await lineOf(`http://${NOWHERE}`)).toMatch(/^fail .*ECONNREFUSED.*WEBHOOK_PUBLIC_URL/);
  const silent = await serve({});
  expect(await lineOf(silent.url)).toMatch(/^fail .*does not answer.*the partner cannot deliver/);
  const { line } = await examine({});
  expect(line("webhook")).toMatch(/^warn .*was not asked: set WEBHOOK_PUBLIC_URL, or give --webhook-url/);
});

test.each([
  ["405 Method Not Allowed", /^ok answers from outside/],
  ["404 Not Found", /^fail it answers 404.*notifications are lost there: .*WEBHOOK_PATH/],
  ["502 Bad Gateway", /^fail the ingress answers 502/],
  ["200 OK", /^fail it answers 200, and not 405/],
])("WEBHOOK_AUTH=none: only a GET is sent, so that nothing is written; answered %s", async (got, said) => {
  const server = await httpServer((method) => answer(method === "GET" ? got : "200 OK", ""));
  expect(await openLines(server.url)).toEqual([expect.stringMatching(said), OPEN]);
  expect(server.seen.map(({ text }) => text.split(" ", 1)[0]).filter((method) => method !== "")).toEqual([
    "GET",
  ]);
});

test("WEBHOOK_AUTH=none: an address that does not answer is reported", async () => {
  expect(await openLines(`http://${NOWHERE}`)).toEqual([
    expect.stringMatching(/^fail .*ECONNREFUSED.*the partner cannot deliver: .*WEBHOOK_PUBLIC_URL/),
    OPEN,
  ]);
});
