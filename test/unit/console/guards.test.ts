import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { basic } from "../../support/console-program.ts";
import { FORM, openConsole } from "./browser.ts";

const decision = () => ({
  task: randomUUID(),
  command: "order-1",
  quote: "q-1",
  as: "succeeded",
  note: "by phone",
});
const ACTIONS = [
  ["/doubt", decision()],
  ["/confirm", { task: randomUUID(), ref: "0/1" }],
  ["/replay", { task: randomUUID(), note: "known now", reason: "", period: "24", until: "1" }],
] as const;

describe("who may act", () => {
  test.each(ACTIONS)("a viewer's POST to %s is refused, and Kafka is not asked", async (path, fields) => {
    const { post, asked, logged } = openConsole();
    const answer = await post("vic", path, fields);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("vic may only look");
    expect(asked()).toBe(0);
    expect(logged).toMatchObject([{ event: "console.refused", fields: { by: "vic" } }]);
  });

  test.each(ACTIONS)("without sign-in there is no action by %s", async (path, fields) => {
    const { send, asked } = openConsole({ CONSOLE_AUTH: "none" });
    const headers = { host: "127.0.0.1:8091", "sec-fetch-site": "same-origin", ...FORM };
    const body = new URLSearchParams(fields).toString();
    const answer = await send(path, { method: "POST", headers, body });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("runs without sign-in");
    expect(asked()).toBe(0);
  });

  test("an operator's form is carried out, once however often it is sent", async () => {
    const { post, get, site, logged } = openConsole();
    const form = decision();
    const first = await post("ana", "/doubt", form);
    const again = await post("ana", "/doubt", form);
    expect([first.status, again.status]).toEqual([303, 303]);
    expect(first.headers.get("location")).toBe(`/tasks/${form.task}`);
    expect(again.headers.get("location")).toBe(`/tasks/${form.task}`);
    const shown = await (await get("ana", `/tasks/${form.task}`)).text();
    expect(shown).toContain("Kafka does not answer");
    expect(shown).not.toContain("<b>no Kafka");
    expect((await post("bia", "/doubt", form)).status).toBe(409);
    expect(logged.filter(({ event }) => event === "console.acting")).toHaveLength(3);
    await site.close();
  });

  test("without sign-in foreign host names are refused, against DNS rebinding", async () => {
    const { send } = openConsole({ CONSOLE_AUTH: "none" });
    expect((await send("/story", { headers: { host: "evil.example" } })).status).toBe(403);
    for (const host of ["localhost:8091", "127.0.0.1:8091", "[::1]:8091"])
      expect((await send("/story", { headers: { host } })).status, host).toBe(200);
  });
});

describe("a form of another page", () => {
  test.each<[string, Record<string, string>]>([
    ["cross-site", { host: "console.test", "sec-fetch-site": "cross-site", origin: "http://console.test" }],
    ["same-site", { host: "console.test", "sec-fetch-site": "same-site" }],
    ["foreign origin", { host: "console.test", origin: "https://evil.example" }],
    ["origin null", { host: "console.test", origin: "null" }],
    ["nothing said", { host: "console.test" }],
  ])("has no effect: %s", async (_, headers) => {
    const { post, asked, logged } = openConsole();
    expect((await post("ana", "/doubt", decision(), headers)).status).toBe(403);
    expect(asked()).toBe(0);
    expect(logged.map(({ event }) => event)).toEqual(["console.refused"]);
  });

  test("has no effect as JSON or as plain text, or when it is huge", async () => {
    const { send, post } = openConsole();
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", ""]) {
      const headers = {
        authorization: basic("ana"),
        "sec-fetch-site": "same-origin",
        ...(type && { "content-type": type }),
      };
      const answer = await send("/doubt", { method: "POST", headers, body: JSON.stringify(decision()) });
      expect(answer.status, type).toBe(415);
    }
    expect((await post("ana", "/doubt", { ...decision(), note: "x".repeat(20_000) })).status).toBe(413);
  });

  test("of the console's own origin passes, also where CONSOLE_ORIGIN names it", async () => {
    const own = openConsole();
    const plain = { host: "console.test", origin: "http://console.test" };
    expect((await own.post("ana", "/doubt", decision(), plain)).status).toBe(303);
    const behind = openConsole({ CONSOLE_ORIGIN: "https://fx.example" });
    const proxied = { host: "console.test", origin: "https://fx.example" };
    expect((await behind.post("ana", "/doubt", decision(), proxied)).status).toBe(303);
    expect((await behind.post("ana", "/doubt", decision(), plain)).status).toBe(403);
  });

  test("with what is missing comes back with what was typed", async () => {
    const { post } = openConsole();
    for (const [fields, problem] of [
      [{ note: " " }, "Write a note"],
      [{ as: "" }, "Choose what the partner says"],
      [{ as: "both" }, "Choose what the partner says"],
    ] as const) {
      const answer = await post("ana", "/doubt", { ...decision(), note: "by phone", ...fields });
      const text = await answer.text();
      expect(text).toContain(problem);
      expect(text).toContain("Kafka does not answer");
      if (!("note" in fields)) expect(text).toContain("by phone");
      expect(answer.headers.get("location")).toBeNull();
    }
  });
});

describe("a GET", () => {
  const asked = async (headers: Record<string, string>, path = "/audit") =>
    (await openConsole().send(path, { headers: { authorization: basic("ana"), ...headers } })).status;

  test("of another page begins no reading, unless a person follows a link", async () => {
    const image = { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
    const frame = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" };
    const link = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    for (const site of ["cross-site", "same-site"]) {
      expect(await asked({ "sec-fetch-site": site, ...image }), site).toBe(403);
      expect(await asked({ "sec-fetch-site": site, ...frame }), site).toBe(403);
      expect(await asked({ "sec-fetch-site": site }), site).toBe(403);
      expect(await asked({ "sec-fetch-site": site, ...link }), site).toBe(200);
    }
    for (const site of ["same-origin", "none"]) expect(await asked({ "sec-fetch-site": site })).toBe(200);
  });

  test("has parameters of at most 1,024 characters", async () => {
    expect(await asked({}, `/doubt?command=${"%C3%A9".repeat(1_024)}`)).toBe(200);
    expect(await asked({}, `/doubt?command=${"x".repeat(1_025)}`)).toBe(400);
    expect(await asked({}, `/doubt?quote=a&quote=${"x".repeat(1_025)}`)).toBe(400);
  });
});

test("every page has the strict policy, and allows no script but its own file", async () => {
  const { send, get } = openConsole();
  for (const answer of [await get("ana", "/story"), await get("ana", "/nowhere"), await send("/")]) {
    const policy = answer.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
  }
});

test("a hostile id is text wherever a page shows it", async () => {
  const { get } = openConsole();
  const evil = `"'><script>alert(1)</script><img src=x>\u202e`;
  const id = encodeURIComponent(evil);
  for (const path of [`/story?id=${id}`, `/doubt?command=${id}`, `/dead-letters?reason=${id}`]) {
    const text = await (await get("ana", path)).text();
    expect(text, path).not.toMatch(/<script(?! id="reload" src="\/reload-)|<img/);
    // Fields keep what was typed, as it was typed.
    expect(text.replace(/ value="[^"]*"/g, ""), path).not.toContain("\u202e");
  }
});
