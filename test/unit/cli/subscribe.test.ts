import { describe, expect, it } from "vitest";
import { withPathToken } from "../../../src/cli/subscribe.ts";
import { answer, serve } from "../partner/hostile-server.ts";
import { partnerSettings, runCommand } from "./run-command.ts";

const TOKEN = "webhook/token of tests";
const ENCODED = encodeURIComponent(TOKEN);
const settings = (url: string) => ({
  ...partnerSettings(url),
  PARTNER_CALL_TIMEOUT: "1s",
  WEBHOOK_AUTH: "path-token",
  WEBHOOK_SECRET: `${TOKEN},older-token`,
});
const secrets = ["access-token-of-tests", "x-token-of-tests", TOKEN, ENCODED, "older-token"];

const subscribe = async (url: string, args: string[], over: Record<string, string | undefined> = {}) => {
  const ended = await runCommand({ ...settings(url), ...over }, ["subscribe", ...args]);
  for (const secret of secrets) expect(ended.out + ended.err).not.toContain(secret);
  return ended;
};
const HOOK = "https://bridge.example/webhooks/transaction-status";

/** A partner that says so, and what it was sent. */
const partnerThat = async (reply: string) => {
  const server = await serve({ onRequest: (socket) => socket.end(reply) });
  const sent = () => server.seen.map(({ text }) => text.slice(text.indexOf("\r\n\r\n") + 4));
  return { url: server.url, sent };
};

describe("subscribe", () => {
  it("sends the address with its token, and the events that are named", async () => {
    const { url, sent } = await partnerThat(answer("201 Created", `{"url":"${HOOK}/${ENCODED}"}`));
    const { code, out, err } = await subscribe(url, ["--url", HOOK, "--event", "A", "--event", "B"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(sent()).toEqual([`{"url":"${HOOK}/${ENCODED}","events":["A","B"]}`]);
    expect(out.split("\n").slice(1)).toEqual(["HTTP 201", `{"url":"${HOOK}/***"}`]);
  });

  it("shows no password of the address, not even when the partner repeats it", async () => {
    const { url, sent } = await partnerThat(answer("200 OK", '{"was":"pass%20word","is":"pass word"}'));
    const { out } = await subscribe(url, ["--url", "https://us:pass%20word@bridge.example/hook"]);
    expect(sent()[0]).toContain("pass%20word");
    expect(out).not.toMatch(/pass|word/);
    expect(out).toContain('{"was":"***","is":"***"}');
  });

  it("--dry-run says what would be sent, and sends nothing", async () => {
    const { url, sent } = await partnerThat(answer("200 OK"));
    const { code, out } = await subscribe(url, ["--url", HOOK, "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toBe(
      `POST ${url}/corporate/v1/webhook/subscribe {"url":"${HOOK}/***","events":["TRANSACTION_STATUS_UPDATED"]}`,
    );
    expect(sent()).toEqual([]);
  });

  it("leaves the address as it is where no token ends it", async () => {
    const { url, sent } = await partnerThat(answer("200 OK"));
    const signed = { WEBHOOK_AUTH: "hmac" };
    expect((await subscribe(url, ["--url", HOOK], signed)).err).toBe("");
    const unknown = await subscribe(url, ["--url", HOOK], { WEBHOOK_AUTH: undefined });
    expect(unknown.err).toMatch(/^Warning: WEBHOOK_AUTH is not set/);
    expect(sent().map((body) => (JSON.parse(body) as { url: string }).url)).toEqual([HOOK, HOOK]);
  });

  it.each([
    ["400 Bad Request", /answered 400; nothing was subscribed: see the answer/],
    ["307 Temporary Redirect", /PARTNER_BASE_URL/],
    ["429 Too Many Requests", /run it again later/],
    ["503 Service Unavailable", /may have subscribed all the same/],
  ])("%s: exit 1 with a sentence, after one request", async (status, sentence) => {
    const { url, sent } = await partnerThat(answer(status, `{"why":"x-token-of-tests"}`));
    const { code, out, err } = await subscribe(url, ["--url", HOOK]);
    expect(code).toBe(1);
    expect(out.split("\n").slice(1)).toEqual([`HTTP ${status.slice(0, 3)}`, '{"why":"***"}']);
    expect(err).toMatch(sentence);
    expect(sent()).toHaveLength(1);
  });

  it("says whether it may have been received, and sends nothing again", async () => {
    const server = await serve({ onRequest: () => undefined });
    const unanswered = await subscribe(server.url, ["--url", HOOK]);
    expect(unanswered.code).toBe(1);
    expect(unanswered.err).toMatch(/^No answer came \(no answer within 1000 ms\).*may have received/);
    expect(server.seen).toHaveLength(1);
    const unsent = await subscribe("http://127.0.0.1:9", ["--url", HOOK]);
    expect(unsent.code).toBe(1);
    expect(unsent.err).toMatch(/^Nothing was sent \(.*ECONNREFUSED/);
  });

  it("needs the secret where a token ends the address", async () => {
    const tokenless = await subscribe("http://127.0.0.1:9", ["--url", HOOK], { WEBHOOK_SECRET: undefined });
    expect(tokenless.code).toBe(2);
    expect(tokenless.err).toMatch(/^WEBHOOK_SECRET is not set/);
  });
});

describe("the address of a subscription", () => {
  const token = (text: string) => withPathToken(new URL(text), [TOKEN, "older-token"]).href;

  it.each([
    [HOOK, `${HOOK}/${ENCODED}`],
    ["https://bridge.example", `https://bridge.example/${ENCODED}`],
    [`${HOOK}?to=us`, `${HOOK}/${ENCODED}?to=us`],
    [`${HOOK}/${ENCODED}`, `${HOOK}/${ENCODED}`],
    [`${HOOK}/older-token?x=1`, `${HOOK}/older-token?x=1`],
    [`${HOOK}/%6flder-token`, `${HOOK}/%6flder-token`],
    [`${HOOK}/%zz`, `${HOOK}/%zz/${ENCODED}`],
  ])("%s becomes %s", (given, whole) => {
    expect(token(given)).toBe(whole);
  });
});
