import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../dev/cluster/ports.mjs";
import type { ConsoleOptions } from "../../src/console/options.ts";
import { createConsoleServer } from "../../src/console/server.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { aDoubt, aLetter, consoleFakes } from "../support/console-fakes.ts";
import { options, silent } from "../unit/console/browser.ts";

const executablePath = "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.warn(`skipped: there is no ${executablePath} (apt-get install chromium)`);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const EVIL = `"'><script>alert(1)</script><img src=x onerror=alert(2)><b>bold</b>\u202e\u0007`;
const ID = "order-71-accept";

let browser: Browser | undefined;
beforeAll(async () => {
  // No sandbox of its own: in containers Chromium refuses to run as root with one. It only opens our own page.
  const args = ["--no-sandbox", "--host-resolver-rules=MAP console.test 127.0.0.1"];
  if (hasBrowser) browser = await chromium.launch({ executablePath, args });
}, 60_000);
afterAll(() => browser?.close());

/** A console on a port, with its fakes. `sever` breaks its connections; `listen` and `close` end and begin it at the same port. */
const serve = async (of: Partial<ConsoleOptions> = {}) => {
  const fakes = consoleFakes();
  const ports = { queries: fakes.queries, actions: fakes.actions, clock: systemClock, log: silent };
  const sockets = new Set<Socket>();
  const sever = (): void => sockets.forEach((socket) => socket.destroy());
  const start = (port: number) => {
    const server = createConsoleServer(options(of), ports);
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    return new Promise<typeof server>((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
  };
  const port = await freePort();
  let server = await start(port);
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      sever();
    });
  onTestFinished(stop);
  const again = async (): Promise<void> => {
    server = await start(port);
  };
  return { ...fakes, url: `http://127.0.0.1:${port}`, port, sockets, sever, stop, again };
};

const signedIn = (username: string): BrowserContextOptions => ({
  httpCredentials: { username, password: "right" },
});

/** A page of somebody who has signed in. `problems`: what a browser complains of, and requests to others. */
const open = async (console: { port: number }, as: BrowserContextOptions = signedIn("ana")) => {
  const context = await browser!.newContext(as);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol !== "data:" && !host.endsWith(`:${console.port}`)) problems.push(`request to ${host}`);
  });
  return { page, problems };
};

const PAGES = [
  "/",
  "/doubts",
  `/doubts/${ID}`,
  "/doubts/order-80-accept",
  "/doubts/unknown",
  "/pauses",
  "/dead-letters",
  "/dead-letters?reason=none",
  "/dead-letters/0/7",
  "/dead-letters/0/7?as=hex",
  `/commands/${ID}`,
  "/transactions/tx-1",
  "/audit",
  "/nowhere",
];

const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<Found> } };
    return (await axe.run()).violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
    );
  });
};

const isNarrow = (page: Page): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");

/** Fills in and sends the form that ends a doubt. */
const end = async (page: Page, id = ID, typed = id): Promise<void> => {
  await page.getByLabel("It was executed").check();
  await page.getByLabel("Note").fill("FX-1: by phone");
  await page.getByLabel("Type the commandId").fill(typed);
  await page.getByRole("button", { name: "End the doubt" }).click();
};

describe.skipIf(!hasBrowser)("every page", () => {
  test.each(["light", "dark"] as const)(
    "in %s: axe finds nothing, nothing is loaded from elsewhere, nothing is complained of",
    async (colorScheme) => {
      const console = await serve({ fourEyes: true });
      const { page, problems } = await open(console, { ...signedIn("ana"), colorScheme });
      const place = { topic: "fx.bridge-audit", partition: 0, offset: 7 };
      console.state.proposals = [
        {
          by: "bia",
          as: "succeeded",
          note: "FX-1",
          atMs: Date.now(),
          untilMs: Date.now(),
          place,
          quoteId: "q-1",
        },
      ];
      console.state.pauses.reconcile = {
        flow: "reconcile",
        says: "pause",
        by: "bia",
        note: "partner asks for it",
        atMs: Date.now(),
        untilMs: null,
        actionId: "a",
      };
      console.state.doubtsProgress = {
        isComplete: false,
        read: 5,
        total: 50,
        sinceMs: Date.now(),
        problem: null,
      };
      for (const path of PAGES) {
        await page.goto(console.url + path);
        expect(await violations(page), path).toEqual([]);
      }
      expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
    },
    180_000,
  );

  test("on a phone of 320 px nothing stands beyond its edge", async () => {
    const console = await serve();
    console.state.doubts = [
      aDoubt(Date.now()),
      aDoubt(Date.now(), { commandId: "x".repeat(200), quoteId: "y".repeat(300) }),
    ];
    const { page } = await open(console, {
      ...signedIn("ana"),
      viewport: { width: 320, height: 640 },
      hasTouch: true,
    });
    for (const path of [...PAGES, `/doubts/${"x".repeat(200)}`]) {
      await page.goto(console.url + path);
      expect(await isNarrow(page), path).toBe(true);
    }
  });

  test("nothing that came from outside becomes markup, in a megabyte neither", async () => {
    const console = await serve();
    const { state } = console;
    state.doubts = [
      aDoubt(Date.now(), {
        commandId: EVIL,
        quoteId: EVIL,
        response: EVIL,
        error: { code: EVIL, message: EVIL },
      }),
    ];
    state.letters = [aLetter(Date.now(), 0, 7, { reason: EVIL, detail: EVIL, preview: EVIL })];
    state.value = Buffer.from(EVIL.repeat(12_000));
    state.notes = [EVIL];
    state.pauses.commands = {
      flow: "commands",
      says: "pause",
      by: EVIL,
      note: EVIL,
      atMs: Date.now(),
      untilMs: null,
      actionId: "a",
    };
    const { page, problems } = await open(console);
    const id = encodeURIComponent(EVIL);
    for (const path of [
      "/",
      "/doubts",
      `/doubts/${id}`,
      "/pauses",
      "/dead-letters",
      "/dead-letters/0/7?as=text",
      "/dead-letters/0/7?as=hex",
      `/commands/${id}`,
      `/transactions/${id}`,
    ]) {
      await page.goto(console.url + path);
      expect(await page.locator("img, main script, main b:not(figcaption b)").count(), path).toBe(0);
    }
    await page.goto(`${console.url}/doubts/${id}`);
    await end(page, EVIL, EVIL.replace("\u202e\u0007", "\\u202e\\u0007"));
    await page.getByRole("heading", { name: "The doubt is ended" }).waitFor();
    expect(console.did).toMatchObject([{ with: { commandId: EVIL, quoteId: EVIL } }]);
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("what people do", () => {
  test("from the first page to the final result's place", async () => {
    const console = await serve();
    const { page, problems } = await open(console);
    await page.goto(console.url);
    await page.getByRole("link", { name: "2 commands are in doubt" }).click();
    await page.getByRole("link", { name: ID }).click();
    await end(page);
    await page.getByRole("heading", { name: "The doubt is ended" }).waitFor();
    expect(await page.locator("main").innerText()).toContain("fx.command-journal[3]@1400");
    expect(await violations(page)).toEqual([]);
    // Loaded again, and sent again by going back: nothing more is done.
    await page.reload();
    expect(await page.locator("h1").innerText()).toBe("The doubt is ended");
    expect(console.did).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test("a double click acts once, and shows what came of it", async () => {
    const console = await serve();
    let go = (): void => undefined;
    console.state.answer = () => new Promise((resolve) => (go = resolve));
    const { page } = await open(console);
    await page.goto(`${console.url}/doubts/${ID}`);
    await page.getByLabel("It was not executed").check();
    await page.getByLabel("Note").fill("FX-1");
    await page.getByLabel("Type the commandId").fill(ID);
    await page.getByRole("button", { name: "End the doubt" }).dblclick({ noWaitAfter: true });
    await expect.poll(() => console.did.length).toBe(1);
    go();
    await page.getByRole("heading", { name: "The doubt is ended" }).waitFor();
    expect(console.did).toHaveLength(1);
  });

  test.each([true, false])("all of it, with script: %s", async (javaScriptEnabled) => {
    const console = await serve();
    const { page, problems } = await open(console, { ...signedIn("ana"), javaScriptEnabled });
    const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
    await page.goto(`${console.url}/doubts/order-80-accept`);
    await page.getByLabel("End it now anyway").check();
    await end(page, "order-80-accept");
    await heading("The doubt is ended");
    expect(console.did.at(-1)).toMatchObject({ what: "resolve", with: { force: true } });

    await page.getByRole("link", { name: "Pauses", exact: true }).click();
    const commands = page.getByRole("region", { name: "commands", exact: true });
    await commands.getByLabel("For how long").first().selectOption("4 hours");
    await commands.getByLabel("Note").first().fill("incident 7");
    await commands.getByRole("button", { name: "Pause commands" }).click();
    await heading("Paused: commands");
    await page.getByRole("link", { name: "Overview" }).first().click();
    await page.getByText("incident 7").waitFor();
    await page.getByRole("link", { name: "Pause or resume" }).first().click();
    await commands.getByLabel("Note").first().fill("it is over");
    await commands.getByRole("button", { name: "Resume commands" }).click();
    await heading("Resumed: commands");

    await page.getByRole("link", { name: "Dead letters" }).click();
    await page.getByLabel("Reason").fill("UNREADABLE_NOTIFICATION");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByLabel("Choose 0/7").check();
    await page.getByLabel("Note").fill("fixed in 1.2");
    await page.getByRole("button", { name: "Plan for the chosen ones" }).click();
    await heading("Plan of a replay");
    if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
    expect(await page.getByLabel("Note").inputValue()).toBe("fixed in 1.2");
    await page.getByRole("button", { name: "Send 1 letter" }).click();
    await heading("Replay");
    if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Stop after what is under way" }).click();
    await page.getByText("being stopped").waitFor();
    console.runs.set("run-1", { ...console.runs.get("run-1")!, state: "done", sent: 3, detail: "stopped" });
    await page.getByText("over", { exact: false }).first().waitFor();

    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByText("FX-123").first().waitFor();
    await page.getByLabel("Id of a command or transaction").fill("a/..?#%");
    await page.getByRole("button", { name: "Transaction" }).click();
    await heading("Transaction a/..?#%");
    expect(console.did.map(({ what }) => what)).toEqual([
      "resolve",
      "pause",
      "resume",
      "plan",
      "replay",
      "cancel",
    ]);
    expect(problems).toEqual([]);
  });

  test("by keyboard alone", async () => {
    const console = await serve();
    const { page } = await open(console);
    await page.goto(`${console.url}/doubts/${ID}`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the page");
    await page.keyboard.press("Enter");
    const active = () =>
      page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()");
    const to = async (name: string) => {
      for (let presses = 0; (await active()) !== name; presses++) {
        expect(presses, `to ${name}`).toBeLessThan(30);
        await page.keyboard.press("Tab");
      }
    };
    await to("as");
    await page.keyboard.press("Space");
    await to("note");
    await page.keyboard.type("FX-1");
    await to("commandId");
    await page.keyboard.type(ID);
    await to("End the doubt");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "The doubt is ended" }).waitFor();
  });

  test("where the browser says nothing of sites, over plain HTTP by a name, the origin is what counts", async () => {
    const console = await serve();
    const { page } = await open(console);
    const sent: Record<string, string>[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.headers()));
    await page.goto(`http://console.test:${console.port}/doubts/${ID}`);
    await end(page);
    await page.getByRole("heading", { name: "The doubt is ended" }).waitFor();
    expect(sent[0]!["sec-fetch-site"]).toBeUndefined();
    expect(sent[0]!["origin"]).toBe(`http://console.test:${console.port}`);
  });

  test("a page of another site can make a signed-in browser do nothing", async () => {
    const console = await serve();
    const { page } = await open(console);
    await page.goto(`${console.url}/doubts/${ID}`);
    const token = await page.locator("#end input[name=token]").inputValue();
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await page.goto(
      `data:text/html,<form method=post action="${console.url}/doubts"><input name=token value="${token}"><input name=id value="${ID}"><input name=commandId value="${ID}"><input name=quote value="9f1c2a44-0d1e-4a52-8a51-0c2f8c7a1c11"><input name=as value=succeeded><input name=note value=x></form><script>document.forms[0].submit()</script>`,
    );
    expect((await answered).status()).toBe(403);
    expect(console.did).toEqual([]);
  });

  test("a viewer sees everything and no form", async () => {
    const console = await serve();
    const { page } = await open(console, signedIn("vic"));
    for (const path of PAGES) {
      await page.goto(console.url + path);
      expect(await page.locator("form[method=post]").count(), path).toBe(0);
    }
  });
});

describe.skipIf(!hasBrowser)("a live page", () => {
  test("brings itself up to date, and leaves alone what somebody is typing in", async () => {
    const console = await serve();
    const { page, problems } = await open(console);
    await page.goto(`${console.url}/doubts/${ID}`);
    await page.getByLabel("Note").fill("half a sent");
    await expect.poll(() => console.hearers.size).toBe(1);
    console.state.doubts = [{ ...console.state.doubts[0]!, httpStatus: 418 }];
    console.change();
    await page.getByText("HTTP 418").waitFor();
    expect(await page.getByLabel("Note").inputValue()).toBe("half a sent");
    await expect.poll(() => page.locator("nav .badge").innerText()).toBe("1");
    await page.getByLabel("Type the commandId").fill(ID);
    await page.getByLabel("It was executed").check();
    await page.getByRole("button", { name: "End the doubt" }).click();
    await page.getByRole("heading", { name: "The doubt is ended" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("keeps what is open and where the focus is", async () => {
    const console = await serve();
    const { page } = await open(console);
    await page.goto(console.url);
    await page.getByText("The same in figures").click();
    await expect.poll(() => console.hearers.size).toBe(1);
    console.state.doubts = [];
    console.change();
    await page.getByRole("heading", { name: "No command is in doubt" }).waitFor();
    expect(await page.locator("#hour-figures").getAttribute("open")).not.toBeNull();
    expect(await page.evaluate("document.activeElement.textContent")).toContain("The same in figures");
  });

  test("says since when it is not live when the stream breaks, and comes back by itself", async () => {
    const console = await serve();
    const { page } = await open(console);
    await page.goto(console.url);
    await expect.poll(() => console.hearers.size).toBe(1);
    await console.stop();
    await page.getByText("Not live since").waitFor();
    expect(await violations(page)).toEqual([]);
    console.state.doubts = [];
    await console.again();
    await page.getByRole("heading", { name: "No command is in doubt" }).waitFor({ timeout: 30_000 });
    await expect.poll(() => page.getByText("Not live since").isVisible()).toBe(false);
  });

  test("a page that nobody looks at any more leaves nothing behind", async () => {
    const console = await serve();
    const { page } = await open(console);
    await page.goto(console.url);
    await expect.poll(() => console.hearers.size).toBe(1);
    await page.close();
    await expect.poll(() => console.hearers.size).toBe(0);
  });

  test("a history that is being read tells more until it is complete", async () => {
    const console = await serve();
    console.state.storyProgress = {
      isComplete: false,
      read: 1,
      total: 9,
      sinceMs: Date.now(),
      problem: null,
    };
    const { page } = await open(console);
    await page.goto(`${console.url}/commands/${ID}`);
    await page.getByText("1 of 9 records").waitFor();
    console.state.storyProgress = { ...console.state.storyProgress, read: 7 };
    await page.getByText("7 of 9 records").waitFor();
    console.state.storyProgress = { ...console.state.storyProgress, isComplete: true };
    await expect.poll(() => page.locator("progress").count()).toBe(0);
  });
});
