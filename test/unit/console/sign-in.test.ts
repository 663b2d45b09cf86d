import { describe, expect, test } from "vitest";
import { basic, openConsole } from "./browser.ts";

const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status;

describe("none", () => {
  const auth = { kind: "none" } as const;

  test.each([
    "localhost",
    "localhost:8091",
    "127.0.0.1:8091",
    "127.3.2.1",
    "[::1]:8091",
    "console.localhost",
  ])("%s is this machine", async (host) => {
    expect(await statusOf(openConsole({ auth }).send("/", { headers: { host } }))).toBe(200);
  });

  test.each([
    "evil.test",
    "localhost.evil.test",
    "127.0.0.1.evil.test",
    "10.0.0.1",
    "",
    "[::2]",
    "localhost:8091@evil.test",
  ])("%j may be another's name for it", async (host) => {
    expect(await statusOf(openConsole({ auth }).send("/", { headers: { host } }))).toBe(403);
  });

  test("no form that acts is shown, and every POST is refused", async () => {
    const { send, did } = openConsole({ auth });
    const headers = {
      host: "localhost",
      "sec-fetch-site": "same-origin",
      "content-type": "application/x-www-form-urlencoded",
    };
    for (const path of ["/", "/doubts/order-71-accept", "/pauses", "/dead-letters", "/dead-letters/0/7"]) {
      const page = await (await send(path, { headers })).text();
      expect(page, path).toContain("read only");
      expect(page, path).not.toContain('method="post"');
    }
    for (const path of [
      "/doubts",
      "/pauses",
      "/dead-letters/plans",
      "/dead-letters/runs",
      "/dead-letters/runs/cancel",
      "/elsewhere",
    ])
      expect(await statusOf(send(path, { method: "POST", headers, body: "note=x" })), path).toBe(403);
    expect(did).toEqual([]);
  });
});

describe("basic", () => {
  test("a wrong password is logged with its user and address, an unknown name is not repeated", async () => {
    const { send, logged } = openConsole();
    await send("/");
    for (const header of [basic("ana", "guess"), basic("typed-a-password", "x"), "Bearer x"])
      expect(await statusOf(send("/", { headers: { authorization: header } }))).toBe(401);
    expect(logged).toEqual(
      ["ana", null, null].map((user) => ({
        event: "console.sign.in.refused",
        fields: { user, address: "10.0.0.9" },
      })),
    );
  });

  test("nobody without a password, and the page says what to do", async () => {
    const { send } = openConsole();
    const answer = await send("/");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      'Basic realm="cambio-bridge console", charset="UTF-8"',
    );
    const page = await answer.text();
    expect(page).toContain("You are not signed in.");
    expect(page).not.toContain("in doubt");
  });

  test("only by the right password, on every page and the stream", async () => {
    const { send } = openConsole();
    for (const path of ["/", "/doubts", "/audit", "/live", "/nowhere", "/search?id=x", "/outcomes/x"]) {
      expect(await statusOf(send(path)), path).toBe(401);
      expect(await statusOf(send(path, { headers: { authorization: basic("ana", "wrong") } })), path).toBe(
        401,
      );
    }
    expect(await statusOf(send("/", { headers: { authorization: basic("ana") } }))).toBe(200);
  });

  test("guessing is answered 429 with the time to wait", async () => {
    const { send } = openConsole();
    const guess = (i: number) => send("/", { headers: { authorization: basic("ana", String(i)) } });
    for (let i = 0; i < 10; i++) expect(await statusOf(guess(i))).toBe(401);
    const answer = await guess(10);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(50);
  });
});

describe("proxy-header", () => {
  const auth = {
    kind: "proxy-header",
    header: "X-Forwarded-User",
    isTrusted: (address: string) => address === "10.0.0.1",
    operators: ["ana"],
  } as const;
  const ask = (rawHeaders: string[], peer = "10.0.0.1") =>
    openConsole({ auth }).send("/", { peer, rawHeaders });

  test("is trusted only from the proxy, by the socket's address", async () => {
    expect(await (await ask(["x-forwarded-user", "ana"])).text()).toContain("operator");
    expect(await (await ask(["X-Forwarded-User", "vic"])).text()).toContain("viewer");
    const forged = await ask(["X-Forwarded-User", "ana", "X-Forwarded-For", "10.0.0.1"], "10.0.0.2");
    expect(forged.status).toBe(403);
    expect(await forged.text()).not.toContain("in doubt");
  });

  test.each([
    ["no header", [], 401],
    ["another header", ["X_Forwarded_User", "ana"], 401],
    ["an empty one", ["X-Forwarded-User", " "], 403],
    ["two", ["X-Forwarded-User", "vic", "x-forwarded-user", "ana"], 403],
    ["two in one", ["X-Forwarded-User", "vic, ana"], 403],
    ["a control character", ["X-Forwarded-User", "an\u0000a"], 403],
    ["not UTF-8", ["X-Forwarded-User", "an\u00ff"], 403],
    ["a very long one", ["X-Forwarded-User", "a".repeat(257)], 403],
  ])("%s names nobody", async (_, rawHeaders, status) => {
    expect((await ask(rawHeaders)).status).toBe(status);
  });

  test("names of other scripts are read as UTF-8", async () => {
    const page = await (await ask(["X-Forwarded-User", Buffer.from("Zoë").toString("latin1")])).text();
    expect(page).toContain("Zoë");
  });
});
