import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hiddenIn, signInSettings, startConsole } from "../support/console-program.ts";
import { AT_ONCE_MS, writeDoubts, writeEventOf } from "../support/doubts.ts";
import { eventually } from "../support/eventually.ts";
import { timed } from "../support/own-time.ts";
import { openWorld, type World } from "../support/world.ts";

const executablePath = "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.warn(`skipped: there is no ${executablePath} (apt-get install chromium)`);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const EVIL = `"'><script>alert(1)</script><img src=x onerror=alert(2)>\u202e`;
const MAX_PAGE = 60_000;

type Console = Awaited<ReturnType<typeof startConsole>>;
let world: World;
let folder: string;
let signIn: Record<string, string>;
let shown: Console;
let browser: Browser | undefined;
beforeAll(async () => {
  world = await openWorld({
    settings: { FLOWS: "webhooks,commands" },
    sandboxArgs: ["--accept-unknown-quotes"],
  });
  folder = await mkdtemp(join(tmpdir(), "cambio-bridge-console-"));
  signIn = await signInSettings(folder);
  await world.startReady();
  shown = await startConsole(world, { ...signIn, CONSOLE_PARTNER_CONTACT: "FX desk, extension 4711" });
  // No sandbox of its own: in containers Chromium refuses to run as root with one. It only opens our own page.
  if (hasBrowser) browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
  await world.close();
});

const finals = async (commandId: string) =>
  (await world.read(world.topics.results)).filter(({ key }) => key === commandId);

/** A page of somebody who has signed in. `problems`: what a browser complains of, and requests to others. */
const open = async (
  { address }: Console,
  { name = "ana", ...options }: BrowserContextOptions & { name?: string } = {},
) => {
  const context = await browser!.newContext({
    ...options,
    httpCredentials: { username: name, password: "right" },
    baseURL: address,
  });
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
    if (!request.url().startsWith(address) && !request.url().startsWith("data:"))
      problems.push(request.url());
  });
  return { page, problems };
};

const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<Found> } };
    return (await axe.run()).violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
};

test("opened at once after its start it shows data, or that it is not known yet", async () => {
  await writeDoubts(world, "at-once", AT_ONCE_MS, randomUUID());
  for (let start = 0; start < 3; start += 1) {
    const fresh = await startConsole(world, signIn);
    const { value: page, ms } = await timed(fresh.get("/", "ana"));
    expect(ms).toBeLessThan(2_500);
    const { status, text } = page;
    expect(status).toBe(200);
    expect(text).not.toMatch(/does not answer|cannot be read/);
    expect(text).toMatch(/1 command is in doubt|not known yet|Kafka has not answered yet|still being read/);
    await fresh.until("/", "1 command is in doubt: ask the partner", "ana");
    expect(await fresh.program.stop()).toBe(0);
  }
});

describe.skipIf(!hasBrowser).each([true, false])("in a browser, with script: %s", (javaScriptEnabled) => {
  test("from the first page to the final result's place", async () => {
    const commandId = `order-${javaScriptEnabled}`;
    await writeDoubts(world, commandId, AT_ONCE_MS, randomUUID());
    const { page, problems } = await open(shown, { javaScriptEnabled });
    await page.goto("/");
    await page.getByRole("heading", { name: /in doubt: ask the partner/ }).waitFor();
    await page.getByRole("link", { name: "See what is known and what to do" }).click();
    await page.getByRole("link", { name: commandId }).click();
    await page.getByRole("button", { name: "Resolve the doubt" }).waitFor();
    const said = await page.locator("main").innerText();
    for (const text of ["FX desk, extension 4711", "leave it open", "It can be resolved now"])
      expect(said).toContain(text);
    await page.getByLabel("It was executed").check();
    await page.getByLabel("Note").fill("FX-1: by phone");
    await page.getByRole("button", { name: "Resolve the doubt" }).click();
    await page.getByRole("heading", { name: "The doubt is resolved" }).waitFor({ timeout: 30_000 });
    const [final, ...others] = await finals(commandId);
    expect(others).toEqual([]);
    const place = `${world.topics.results}[${final?.partition}]@${final?.offset}`;
    expect(await page.locator("main").innerText()).toContain(place);
    // Loaded again, nothing more is done.
    await page.reload();
    await page.getByRole("heading", { name: "The doubt is resolved" }).waitFor();
    expect(await finals(commandId)).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});

test.skipIf(!hasBrowser)("a page that loads itself again keeps the keyboard's focus", async () => {
  await writeDoubts(world, "focused", AT_ONCE_MS, randomUUID());
  await shown.until("/", "in doubt: ask the partner", "ana");
  const { page, problems } = await open(shown);
  await page.goto("/");
  const link = page.getByRole("link", { name: "See what is known and what to do" });
  await link.focus();
  const before = await link.elementHandle();
  await eventually(
    async () => !(await before.evaluate("(element) => element.isConnected")),
    "the page to load itself again",
    30_000,
  );
  expect(await page.locator("main a.button:focus").count()).toBe(1);
  expect(problems).toEqual([]);
});

describe.skipIf(!hasBrowser).each([
  [390, true],
  [1_280, false],
])("evidence of an execution, at %i pixels, with script: %s", (width, javaScriptEnabled) => {
  test("is what a doubt's page shows first", async () => {
    const [commandId, quoteId] = [`evident-${width}-${javaScriptEnabled}`, randomUUID()];
    await writeDoubts(world, commandId, AT_ONCE_MS, quoteId);
    const event = { transactionId: `tx-${quoteId}`, status: "PAYMENT_CONFIRMED", atMs: Date.now() };
    await writeEventOf(world, event, { order: { quoteId } });
    await shown.until(`/doubt?command=${commandId}`, "The partner has probably executed it", "ana");
    const height = 800;
    const { page, problems } = await open(shown, { javaScriptEnabled, viewport: { width, height } });
    await page.goto(`/doubt?command=${commandId}`);
    const box = await page.getByRole("region", { name: "Evidence" }).boundingBox();
    expect(box && box.y + box.height).toBeLessThan(height);
    const texts = await page.locator("main :is(h1, h2, button.main)").allInnerTexts();
    expect(texts.slice(1, 3)).toEqual(["The partner has probably executed it", "What to tell the partner"]);
    if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test("too early: the form agrees with the clock, keeps what was typed, and says when; a viewer sees none", async () => {
  const commandId = "too-early";
  await writeDoubts(world, commandId, 60_000, randomUUID());
  const page = await shown.doubtPage(commandId, "ana");
  expect(page).toContain("It can be resolved from");
  expect(page).not.toContain("It can be resolved now");
  const fields = { ...shown.saying(page, "not-executed"), note: "FX-9: Maria said so" };
  const { status, text } = await shown.post("/doubt", fields, "ana");
  expect(status).toBe(422);
  expect(text).toContain("too early");
  expect(text.match(/It can be resolved/g)).toHaveLength(1);
  expect(text).toMatch(/<textarea[^>]*>\s*FX-9: Maria said so<\/textarea/);
  expect(text).toMatch(/id="as-not-executed"[^>]*checked/);
  const looked = await shown.until(`/doubt?command=${commandId}`, "You may only look", "vic");
  expect(looked).not.toContain("<textarea");
  expect(await finals(commandId)).toEqual([]);
});

test("with four eyes another person ends it, and never its author", async () => {
  const commandId = "four-eyes";
  // The journal's key of it is another text.
  const quoteId = `Q/${randomUUID()}`;
  await writeDoubts(world, commandId, AT_ONCE_MS, quoteId);
  const two = await startConsole(world, { ...signIn, CONSOLE_FOUR_EYES: "true" });
  const page = await two.until(`/doubt?command=${commandId}`, "Propose to resolve", "ana");
  const saying = two.saying(page, "succeeded");
  const proposed = await two.post("/doubt", saying, "ana");
  expect(proposed.text).toContain("It is proposed, and not resolved yet");
  expect(proposed.text).toContain(`${world.topics.audit}[0]@`);
  const [, itsPage = ""] = /href="(\/doubt\?[^"]+)"/.exec(proposed.text) ?? [];
  await two.until(itsPage.replaceAll("&amp;", "&"), "ana</bdi> proposes", "bia");
  await two.until("/", "1 proposal waits for a second person", "bia");
  const [, ref = ""] =
    /--confirm <bdi>(0\/\d+)|--confirm (0\/\d+)/.exec(proposed.text)?.filter(Boolean) ?? [];
  await two.until("/audit", ref, "bia");
  const list = await two.until("/doubts", ref, "bia");
  expect(list).toMatch(/proposes\s+<strong>executed<\/strong>: REF 0\/\d+, to be\s+confirmed until <span/);
  expect(list.indexOf(ref), "before older doubts").toBeLessThan(
    list.indexOf("</tr>", list.indexOf("<tbody>")),
  );
  expect((await world.run(["audit", "--since", "1h"])).out).toContain(`proposed REF ${ref}`);
  // A browser's way back shows the form as it was: corrected there, it is no decision that was taken.
  const corrected = await two.post("/doubt", { ...saying, as: "not-executed" }, "ana");
  expect(corrected).toMatchObject({
    status: 409,
    text: expect.stringContaining("nothing was done now") as string,
  });
  expect(await finals(commandId)).toEqual([]);
  const path = `/doubt?command=${commandId}&quote=${encodeURIComponent(quoteId)}`;
  const own = await two.until(path, "ana</bdi> proposes", "ana");
  expect(own).toContain("Another person must confirm it");
  expect(own).not.toContain("Confirm, and resolve the doubt");
  const other = await two.until(`/doubt?command=${commandId}`, "Confirm, and resolve the doubt", "bia");
  const confirming = hiddenIn(other, "/confirm");
  const selfMade = await two.post("/confirm", { ...confirming, task: randomUUID() }, "ana");
  expect(selfMade.text).toContain("another person must confirm it");
  expect((await two.post("/confirm", confirming, "vic")).status).toBe(403);
  expect(await finals(commandId)).toEqual([]);
  const ended = await two.post("/confirm", confirming, "bia");
  expect(ended.text).toContain("The doubt is resolved");
  const [final] = await finals(commandId);
  expect(ended.text).toContain(`${world.topics.results}[${final?.partition}]@${final?.offset}`);
  expect(await two.program.stop()).toBe(0);
});

test("who is no user any more stays out; a file that cannot be used changes nothing, and the log says so", async () => {
  const own = await mkdtemp(join(folder, "users-"));
  const settings = await signInSettings(own);
  const file = settings["CONSOLE_USERS_FILE"] ?? "";
  const console = await startConsole(world, settings);
  expect((await console.get("/", "bia")).status).toBe(200);
  const users = await readFile(file, "utf8");
  await writeFile(file, users.replace(/^bia.*\n/m, ""));
  await eventually(async () => (await console.get("/", "bia")).status === 401, "bia to stay out", 10_000);
  await writeFile(file, "no user\n");
  await console.program.untilLine((line) => line.includes("secret.refused"), "what is wrong with the file");
  expect((await console.get("/", "ana")).status).toBe(200);
  expect(await console.program.stop()).toBe(0);
});

test("a quote's story leads to its doubt", async () => {
  const quoteId = randomUUID();
  await writeDoubts(world, "found", AT_ONCE_MS, quoteId);
  await shown.until(`/story?id=${quoteId.toUpperCase()}`, 'href="/doubt?command=found"', "ana");
  await shown.until("/story?id=nowhere", "The topics hold nothing of it", "ana");
});

const letters = async (...values: readonly string[]): Promise<void> => {
  const { topics } = world;
  const before = (await world.read(topics.deadLetters)).length;
  await world.produce(
    topics.commands,
    values.map((value) => ({ key: "k", value })),
  );
  await eventually(
    async () => (await world.read(topics.deadLetters)).length >= before + values.length,
    "dead letters",
    30_000,
  );
};

test("dead letters are planned, then replayed once, and it is said where they stand", async () => {
  await letters("no command", "neither");
  const list = await shown.until("/dead-letters?reason=UNREADABLE_COMMAND", "Plan a replay of all", "ana");
  const [, ref = ""] = /href="\/letter\?ref=([^"]+)"/.exec(list) ?? [];
  const plan = await shown.until(`/replay?ref=${ref}`, "Send 1 dead letter", "ana");
  expect(plan).toContain("Its sender got a result, REJECTED");
  const fields = { ...hiddenIn(plan, "/replay"), note: "known now" };
  expect((await shown.post("/replay", fields, "vic")).status).toBe(403);
  const sent = await shown.post("/replay", fields, "ana");
  expect(sent.text).toContain("1 of 1 sent");
  expect(sent.text).toContain(`${world.topics.commands}[`);
  const again = await shown.post("/replay", fields, "ana");
  expect(again.text).toContain("1 of 1 sent");
  const second = await shown.get(`/replay?ref=${ref}&until=1`, "ana");
  expect(second.text).toMatch(/replayed before|Send 1 dead letter/);
  const audit = await shown.until("/audit", "replay", "ana");
  expect(audit).toContain("known now");
});

test.skipIf(!hasBrowser).each(["light", "dark"] as const)(
  "in %s every page is accessible, loads nothing from elsewhere, fits a phone and is small",
  async (colorScheme) => {
    await writeDoubts(world, EVIL, AT_ONCE_MS, `${EVIL}-${colorScheme}`);
    await letters(EVIL.repeat(2_000));
    const id = encodeURIComponent(EVIL);
    const list = await shown.until("/dead-letters", "Plan a replay of all", "ana");
    const [, ref = ""] = /href="\/letter\?ref=([^"]+)"/.exec(list) ?? [];
    const { page, problems } = await open(shown, { colorScheme, viewport: { width: 320, height: 640 } });
    for (const path of [
      "/",
      "/doubts",
      `/doubt?command=${id}&quote=${encodeURIComponent(`${EVIL}-${colorScheme}`)}`,
      "/doubt?command=unknown",
      "/dead-letters",
      `/letter?ref=${ref}`,
      "/replay?period=24",
      `/story?id=${id}`,
      "/audit",
      "/nowhere",
    ]) {
      const answer = await page.goto(path);
      expect((await answer?.body())?.length, path).toBeLessThan(MAX_PAGE);
      expect(await violations(page), path).toEqual([]);
      expect(await page.locator("img, script:not([src^='/'])").count(), path).toBe(0);
      const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
      expect(await page.evaluate(fits), path).toBe(true);
    }
    expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
  },
  120_000,
);

test("while Kafka does not answer it says so once, and nothing is green", async () => {
  const away = await startConsole(world, { ...signIn, KAFKA_BROKERS: "127.0.0.1:1" });
  const text = await away.until("/", "does not answer: see that they run", "ana");
  expect(text.match(/<h1>/g)).toHaveLength(1);
  expect(text).not.toMatch(/class="(?:verdict|notice|tag) good"/);
  expect(text).not.toContain(">none<");
  expect(await away.program.stop()).toBe(0);
});
