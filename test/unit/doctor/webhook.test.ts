import { describe, expect, test } from "vitest";
import { answer, serve } from "../partner/hostile-server.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { bridgeLike, examine, freePort, httpServer, NOWHERE } from "./faults.ts";

/** What is said of an address, but that it is no https where that is all. */
const lineOf = async (url: string, settings = {}): Promise<string> => {
  const { of } = await examine({ ...settings, WEBHOOK_PUBLIC_URL: url });
  return of("webhook").map(({ status, detail, remedy }) => `${status} ${detail}: ${remedy ?? ""}`)[0]!;
};

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
  expect(await lineOf(url)).toMatch(
    /^ok answers from outside, and 401 without a signature \(the secret itself was not tried\)/,
  );
});

test("the bridge's 405 to a GET, and 200 to a notification without a signature", async () => {
  const { url } = await httpServer(bridgeLike("200 OK"));
  expect(await lineOf(url)).toMatch(
    /^fail it answers 200 .*anybody can write events \(this one is a dead letter now\): set WEBHOOK_AUTH/,
  );
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
  [
    "200 OK",
    /^fail something else answers there, not the bridge \(200\): notifications are lost there: .*WEBHOOK_PATH/,
  ],
  ["404 Not Found", /^fail it answers 404.*WEBHOOK_PATH.*, or the bridge runs with another WEBHOOK_AUTH$/],
  ["301 Moved", /^fail it redirects \(301\)/],
  ["502 Bad Gateway", /^fail it answers 502.*WEBHOOK_PORT/],
  ["503 Service Unavailable", /^fail it answers 503.*\/readyz/],
  ["504 Gateway Timeout", /^fail it answers 504/],
  ["403 Forbidden", /^fail something in front answers 403/],
  ["500 Internal Server Error", /^fail it answers 500, and not as the bridge/],
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
  expect(await lineOf(url)).toMatch(/^fail something in front answers 401/);
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
  ["405 Method Not Allowed\r\nAllow: POST", /^ok answers from outside/],
  ["405 Method Not Allowed", /^fail it answers 405, and not as the bridge does/],
  ["404 Not Found", /^fail it answers 404.*notifications are lost there: .*WEBHOOK_PATH/],
  ["502 Bad Gateway", /^fail it answers 502/],
  ["200 OK", /^fail something else answers there, not the bridge \(200/],
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

describe("before the first start: the webhook port of this machine is free", () => {
  test("the address is refused, and the check of the ports does not answer in the bridge's place", async () => {
    const WEBHOOK_PORT = await freePort();
    const { line } = await examine({ WEBHOOK_PORT }, "--webhook-url", `http://127.0.0.1:${WEBHOOK_PORT}/x`);
    expect(line("ports", "WEBHOOK_PORT")).toMatch(/^ok is free/);
    expect(line("webhook")).toMatch(
      /^warn nothing listens at 127.0.0.1:\d+ \(ECONNREFUSED\).*; no bridge runs here yet, so it could not be asked: start it, then run doctor again/,
    );
  });

  test.each(["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"])(
    "the ingress answers %s",
    async (status) => {
      const { url, port } = await httpServer(() => answer(status, ""));
      expect(await lineOf(url, { WEBHOOK_PORT: await freePort() })).toMatch(
        new RegExp(`^warn .*answers ${status.slice(0, 3)}.*; no bridge runs here yet`),
      );
      // Something has the port: a bridge may run.
      expect(await lineOf(url, { WEBHOOK_PORT: String(port) })).toMatch(/^fail .*answers 50/);
    },
  );

  test("what another bridge could not mend stays a fault", async () => {
    const { url } = await httpServer(() => answer("404 Not Found", ""));
    expect(await lineOf(url, { WEBHOOK_PORT: await freePort() })).toMatch(/^fail it answers 404/);
    expect(await lineOf("http://nobody.invalid", { WEBHOOK_PORT: await freePort() })).toMatch(
      /^fail the name nobody.invalid/,
    );
  });
});

test("http:// to a port that speaks TLS", async () => {
  const { url } = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  expect(await lineOf(url.replace("https:", "http:"))).toMatch(
    /^fail 127.0.0.1:\d+ speaks TLS there, .*the partner cannot deliver: write https:\/\/ in WEBHOOK_PUBLIC_URL$/,
  );
});

test("an address that only this machine can reach, unless the partner is there, too", async () => {
  const { url } = await httpServer(bridgeLike("401 Unauthorized"));
  const linesOf = async (address: string, partner: string): Promise<string> =>
    (await examine({ WEBHOOK_PUBLIC_URL: address, PARTNER_BASE_URL: partner }))
      .of("webhook")
      .map(({ status, detail, remedy }) => `${status} ${detail}: ${remedy ?? ""}`)
      .join("\n");
  const outside = "https://partner.invalid";
  expect(await linesOf(url, outside)).toMatch(
    /^warn it is an address of this machine: the partner cannot reach it: name the address that the partner calls in WEBHOOK_PUBLIC_URL$/m,
  );
  expect(await linesOf(url, `http://${NOWHERE}`)).not.toContain("cannot reach it");
}, 30_000);
