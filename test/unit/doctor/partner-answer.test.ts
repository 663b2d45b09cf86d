import { describe, expect, test } from "vitest";
import { checkPartner } from "../../../src/doctor/partner.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { configOf } from "../config/environment.ts";
import { answer, serve } from "../partner/hostile-server.ts";
import { examine, httpServer, nowhere } from "./faults.ts";

const DATE = `Date: ${new Date().toUTCString()}\r\n`;

const lineAt = async (text: string, settings = {}): Promise<string> => {
  const { url } = await httpServer(() => text);
  return (await examine({ ...settings, PARTNER_BASE_URL: url })).line("partner", "tokens");
};

describe("a 2xx whose body is not the log", () => {
  test.each([
    ["a health check", '{"status":"ok"}', /holds no array of entries.*PARTNER_LOG_ENTRIES_POINTER/],
    ["a failure that it states", '{"success":false}', /holds no array of entries/],
    ["a web page as text", "<html>", /breaks off, or is not JSON/],
    ["nothing", "", /breaks off, or is not JSON/],
    ["half of it", '[{"a":1}', /breaks off, or is not JSON/],
    ["other objects", '[{"a":1},{"a":2}]', /some entries are not understood/],
  ])("%s", async (_, body, why) => {
    const line = await lineAt(answer("200 OK", body, `${DATE}Content-Type: text/plain\r\n`));
    expect(line).toMatch(/^fail the partner answers 200, but not with its log: /);
    expect(line).toMatch(why);
  });

  test("204", async () => {
    expect(await lineAt(`HTTP/1.1 204 No Content\r\n${DATE}\r\n`)).toMatch(/^ok .*\(204\)/);
  });

  test("a pointer that leads nowhere", async () => {
    const wrong = { PARTNER_LOG_ENTRIES_POINTER: "/data/items" };
    expect(await lineAt(answer("200 OK", '{"data":[]}', DATE), wrong)).toMatch(
      /^fail .*has no array where PARTNER_LOG_ENTRIES_POINTER points to/,
    );
  });

  test("no entry today, and the first page of several", async () => {
    for (const body of ["[]", '{"data":[]}', '{"success":true,"items":[]}'])
      expect(await lineAt(answer("200 OK", body, DATE)), body).toMatch(
        /^ok its log of .* can be read \(200\)/,
      );
    expect(await lineAt(answer("200 OK", '{"items":[],"next":"/page/2"}', DATE))).toMatch(
      /^warn .*not as a whole: the answer says that there are more entries than it holds: read "When a run is not complete"/,
    );
  });

  test("a body that stops", async () => {
    const partner = await serve({
      onRequest: (socket) => socket.write(`HTTP/1.1 200 OK\r\n${DATE}Content-Length: 100\r\n\r\n[`),
    });
    const over = { PARTNER_BASE_URL: partner.url, PARTNER_CALL_TIMEOUT: "2s" };
    expect((await examine(over)).line("partner", "tokens")).toMatch(
      /^fail .*breaks off.*\(no answer within 2000 ms\)/,
    );
  });
});

describe("a slow partner", () => {
  /** The lines about a partner, with a clock that the test moves. */
  const examineAt = (url: string, clock: { nowMs: number }, over = {}) =>
    checkPartner(configOf({ ...nowhere, ...over, PARTNER_BASE_URL: url }), true, {
      clock: { ...systemClock, monotonic: () => clock.nowMs },
      signal: new AbortController().signal,
    });

  test("no answer within PARTNER_CALL_TIMEOUT", async () => {
    const partner = await serve({});
    const over = { PARTNER_CALL_TIMEOUT: "1s", PARTNER_BASE_URL: partner.url };
    expect((await examine(over)).line("partner", "tokens")).toMatch(
      /^fail no answer came .*\(no answer within 1000 ms\)/,
    );
  });

  test("a body that does not end", async () => {
    const clock = { nowMs: 0 };
    const partner = await serve({
      onRequest: (socket) => {
        clock.nowMs = 16_500;
        socket.write(`HTTP/1.1 200 OK\r\n${DATE}Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n`);
        const more = setInterval(() => socket.write("1\r\n \r\n"), 20);
        socket.on("close", () => clearInterval(more));
      },
    });
    const [, tokens] = await examineAt(partner.url, clock);
    expect(tokens).toMatchObject({ status: "fail" });
    expect(tokens?.detail).toMatch(/^its log breaks off \(/);
  });
});
