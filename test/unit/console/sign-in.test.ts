import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createConsoleServer } from "../../../src/console/app.ts";
import { parseUsers } from "../../../src/console/sign-in/users.ts";
import { basic, RIGHT } from "../../support/console-program.ts";
import { openConsole } from "./browser.ts";

describe("passwords", () => {
  test("nobody gets in without the right one, and only known names are logged", async () => {
    const { send, get, logged } = openConsole();
    const without = await send("/story");
    expect(without.status).toBe(401);
    expect(without.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
    for (const [name, password] of [
      ["ana", "wrong"],
      ["s3cret-typed-as-name", "right"],
      ["", "right"],
    ] as const)
      expect((await send("/story", { headers: { authorization: basic(name, password) } })).status).toBe(401);
    expect((await send("/story", { headers: { authorization: "Basic ???" } })).status).toBe(401);
    expect((await get("ana", "/story")).status).toBe(200);
    expect(JSON.stringify(logged)).not.toContain("s3cret");
    expect(logged[0]).toMatchObject({ event: "console.sign.in.refused", fields: { user: "ana" } });
  });

  const guesses = (settings: Record<string, string> = {}) => {
    const { send, get } = openConsole(settings);
    const guess = async (name: string, peer: string, forwarded?: string, password = "wrong") => {
      const headers = {
        authorization: basic(name, password),
        ...(forwarded && { "x-forwarded-for": forwarded }),
      };
      return (await send("/story", { headers, peer })).status;
    };
    /** Until no further one is let through. */
    const exhaust = async (name: string, peer: string, forwarded?: string): Promise<void> => {
      const tries = [];
      for (let i = 0; i < 21; i += 1) tries.push(await guess(name, peer, forwarded));
      expect(tries).toEqual([...Array<number>(20).fill(401), 429]);
    };
    return { send, get, guess, exhaust };
  };

  test("guessing is limited by address and name; who is signed in goes on", async () => {
    const { get, guess, exhaust, send } = guesses();
    expect((await get("ana", "/story")).status).toBe(200);
    await exhaust("ana", "10.0.0.9");
    const limited = await send("/story", { headers: { authorization: basic("ana", "other") } });
    expect([limited.status, Number(limited.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect((await get("ana", "/story")).status, "signed in before").toBe(200);
    expect((await get("bia", "/story")).status, "another name at this address").toBe(200);
    expect(await guess("ana", "10.0.0.10"), "another address").toBe(401);
  });

  test("guessing is limited for all names of an address together", { timeout: 60_000 }, async () => {
    const { guess } = guesses();
    const statuses = [];
    for (let i = 0; i < 201; i += 1) statuses.push(await guess(`name-${i}`, "10.0.0.9"));
    expect(statuses).toEqual([...Array<number>(200).fill(401), 429]);
  });

  test("addresses of one /64 are one, and a trusted proxy says whose they are", async () => {
    const { guess, exhaust } = guesses({ CONSOLE_TRUSTED_PROXY_CIDRS: "10.0.0.1" });
    await exhaust("ana", "2001:db8:0:1::1");
    expect(await guess("ana", "2001:db8::1:2:3:4:5")).toBe(429);
    expect(await guess("ana", "2001:db8:0:2::1")).toBe(401);
    await exhaust("bia", "10.0.0.1", "192.0.2.1");
    expect(await guess("bia", "10.0.0.1", "192.0.2.2")).toBe(401);
    expect(await guess("bia", "10.0.0.1", "192.0.2.2, 192.0.2.1")).toBe(429);
    // Whoever is no proxy may say what it likes.
    await exhaust("vic", "10.0.0.2", "192.0.2.1");
    expect(await guess("vic", "10.0.0.2", "192.0.2.9")).toBe(429);
  });
});

describe("behind a proxy", () => {
  const settings = {
    CONSOLE_AUTH: "proxy-header",
    CONSOLE_USER_HEADER: "X-User",
    CONSOLE_TRUSTED_PROXY_CIDRS: "10.0.0.1,127.0.0.1",
    CONSOLE_OPERATORS: "ana",
  };
  const as = (headers: [string, string][], peer = "10.0.0.1") =>
    openConsole(settings).send("/story", { peer, headers });

  test("only the trusted proxy names people", async () => {
    expect(await (await as([["x-user", "ana"]])).text()).toMatch(/ana<\/bdi><\/code>, operator/);
    expect(await (await as([["X-USER", "ben"]])).text()).toMatch(/ben<\/bdi><\/code>, viewer/);
    expect((await as([["X-User", "ana"]], "10.0.0.2")).status).toBe(403);
    expect((await as([])).status).toBe(401);
    for (const value of ["ben, ana", ""]) expect((await as([["X-User", value]])).status, value).toBe(403);
  });

  test("a header that was sent twice names nobody", async () => {
    const { site } = openConsole(settings);
    const server = createConsoleServer(site).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const statusOf = async (names: string[]): Promise<number | undefined> => {
      const asked = request({ host: "127.0.0.1", port, path: "/story", headers: { "X-User": names } }).end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusOf(["ana"])).toBe(200);
    expect(await statusOf(["ben", "ana"])).toBe(403);
  });
});

test("the users file: htpasswd lines with a role; problems do not repeat what may be a secret", () => {
  const { users, problems } = parseUsers(
    `# people\nana:${RIGHT}:operator\n\nvic:${RIGHT}\nANA:${RIGHT}\nbad:secret\nx:${RIGHT}:admin\n`,
  );
  expect(users.map(({ name, role }) => [name, role])).toEqual([
    ["ana", "operator"],
    ["vic", "viewer"],
  ]);
  expect(problems.map((text) => text.slice(0, 7))).toEqual(["Line 5:", "Line 6:", "Line 7:"]);
  expect(problems.join()).not.toContain("secret");
  expect(parseUsers("").problems).toHaveLength(1);
});
