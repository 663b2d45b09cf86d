import { describe, expect, it } from "vitest";
import { answer, serve } from "../partner/hostile-server.ts";
import { chunked, chunkOf, LAST_CHUNK } from "../partner/log-reader.ts";
import { partnerSettings, runCommand } from "./run-command.ts";

const settings = (url: string) => ({
  ...partnerSettings(url),
  PARTNER_CALL_TIMEOUT: "5s",
  WEBHOOK_SECRET: "webhook-token-of-tests",
});
const DAYS = ["--from", "2026-01-05", "--to", "2026-01-06"];

const logsOf = async (reply: (socket: import("node:net").Socket) => void, args: string[] = ["--raw"]) => {
  const server = await serve({ onRequest: reply });
  const ended = await runCommand(settings(server.url), ["logs", ...DAYS, ...args]);
  return { ...ended, server };
};

describe("logs", () => {
  it("asks for what it is told to ask for", async () => {
    const { server } = await logsOf((socket) => socket.end(answer("200 OK")));
    expect(server.seen[0]!.text).toContain("logs?startDate=2026-01-05&endtDate=2026-01-06 HTTP");
    const typed = await logsOf((socket) => socket.end(answer("200 OK")), ["--event-type", "A B"]);
    expect(typed.server.seen[0]!.text).toContain("&eventType=A+B HTTP");
  });

  it("--raw gives every byte as it came, whether it is text or not", async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256));
    const { code, err, ...ended } = await logsOf((socket) =>
      socket.end(Buffer.concat([Buffer.from(chunked()), chunkOf(bytes), Buffer.from(LAST_CHUNK)])),
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(ended.bytes.equals(bytes)).toBe(true);
  });

  const ENTRIES = `{"data": [
    {"sentAt": "2026-01-05T12:00:09Z", "url": "https://x/webhook-token-of-tests",
     "body": "{\\"transactionId\\":\\"tx-1\\",\\"status\\":\\"CANCELED\\",\\"createdAt\\":\\"2026-01-05T12:00:00Z\\"}"},
    {"note": "nothing"}], "total": 2}`;
  const entries = (args: string[]) => logsOf((socket) => socket.end(answer("200 OK", ENTRIES)), args);

  it("gives a line for each entry, says which it does not understand, and shows no secret of ours", async () => {
    const text = await entries([]);
    expect(text.code).toBe(0);
    expect(text.out.split("\n")).toEqual([
      "2026-01-05T12:00:00Z  tx-1  CANCELED",
      '(no notification in it)  {"note":"nothing"}',
    ]);
    const json = await entries(["--json"]);
    expect(json.code).toBe(0);
    const lines = json.out.split("\n").map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines.map(({ url, note }) => url ?? note)).toEqual(["https://x/***", "nothing"]);
    expect(json.err).toMatch(/secrets of ours/);
  });

  const HOSTILE = "\u001b[2J\u009b31m\u202e\nx";

  it.each([[[]], [["--json"]]])("%j gives nothing that a terminal would obey", async (args) => {
    const notification = { transactionId: HOSTILE, status: "CANCELED", createdAt: "2026-01-05T12:00:00Z" };
    const body = JSON.stringify([{ [HOSTILE]: JSON.stringify(notification) }, { other: HOSTILE }]);
    const { code, out } = await logsOf((socket) => socket.end(answer("200 OK", body)), args);
    expect(code).toBe(0);
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    // Nor is there a line that no entry has.
    expect(out.split("\n")).toHaveLength(2);
    if (args[0] === "--json") expect(JSON.parse(out.split("\n")[1]!)).toEqual({ other: HOSTILE });
  });

  it("a refusal is shown without what a terminal would obey, but with --raw as it came", async () => {
    const refused = answer("500 Internal Server Error", HOSTILE);
    const { code, out } = await logsOf((socket) => socket.end(refused), []);
    expect({ code, out }).toEqual({ code: 1, out: "\\u001b[2J\\u009b31m\\u202e\nx" });
    expect((await logsOf((socket) => socket.end(refused))).out).toBe(HOSTILE);
  });

  it.each([
    ["<html>", /^The answer breaks off, or is not JSON: see it with --raw/],
    ['{"ok":true}', /holds no array of entries/],
  ])("--json of %s: exit 1 with a sentence", async (body, sentence) => {
    const { code, err } = await logsOf((socket) => socket.end(answer("200 OK", body)), ["--json"]);
    expect(code).toBe(1);
    expect(err).toMatch(sentence);
  });

  it("shows the entries of several arrays, and says which setting names the one", async () => {
    const body = '{"sent":[null,{"a":1}],"failed":[{"b":2}],"codes":["x"]}';
    const { code, out, err } = await logsOf((socket) => socket.end(answer("200 OK", body)), ["--json"]);
    expect({ code, out }).toEqual({ code: 0, out: 'null\n{"a":1}\n{"b":2}\n"x"' });
    expect(err).toMatch(/several arrays of objects.* PARTNER_LOG_ENTRIES_POINTER/);
    expect(err).not.toMatch(/can be reached/);
  });

  it.each([
    ["400 Bad Request", "", /answered 400; see its answer: .*PARTNER_LOG_END_PARAMETER/],
    ["401 Unauthorized", "", /PARTNER_ACCESS_TOKEN/],
  ])("%s: exit 1, what the partner said, and a sentence", async (status, headers, sentence) => {
    const { code, out, err } = await logsOf((socket) => socket.end(answer(status, "no!", headers)));
    expect({ code, out }).toEqual({ code: 1, out: "no!" });
    expect(err).toMatch(sentence);
  });

  const cut = (sent: string): string => `HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${sent}`;
  const brokenOff = (sent: string, args: string[]) => logsOf((socket) => socket.end(cut(sent)), args);

  it.each([
    ["--raw", 90_000],
    ["--json", 8_000],
  ])(
    "%s of an answer that breaks off after %i bytes: what came, but for an end that may begin a secret",
    async (view, size) => {
      const element = '{"a":1}';
      const sent = `[${`${element},`.repeat(size / 8)}`;
      const { code, out, err } = await brokenOff(sent, [view]);
      expect(code).toBe(1);
      expect(err).toMatch(/^The log could not be read to its end \(.+\): see /);
      const whole = view === "--raw" ? sent : `${element}\n`.repeat(size / 8);
      expect(whole.startsWith(out)).toBe(true);
      expect(out.length).toBeGreaterThan(whole.length - 1_000);
    },
  );

  it.each([
    [["--from", "2026-02-30", "--to", "2026-03-01"], /YYYY-MM-DD/],
    [["--from", "2026-01-06", "--to", "2026-01-05"], /--from must not be later than --to/],
    [["--from", "2026-01-06"], /--to/],
    [[...DAYS, "--raw", "--json"], /cannot be used with/],
  ])("%j is wrong usage", async (args, sentence) => {
    const { code, err } = await runCommand(settings("http://127.0.0.1:9"), ["logs", ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(sentence);
  });
});
