import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startSandbox, type Sandbox } from "../../src/sandbox/start.ts";
import { clientOf, type Client } from "../unit/sandbox/client.ts";

const executablePath = "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.warn(`skipped: there is no ${executablePath} (apt-get install chromium)`);

let browser: Browser | undefined;
beforeAll(async () => {
  // No sandbox of its own: in containers Chromium refuses to run as root with one. It only opens our own page.
  if (hasBrowser) browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}, 60_000);
afterAll(() => browser?.close());

const open = async (
  options: Parameters<typeof startSandbox>[0],
  arrange: (client: Client) => Promise<unknown>,
) => {
  const sandbox: Sandbox = await startSandbox(options);
  onTestFinished(sandbox.close);
  await arrange(clientOf(sandbox.url));
  const page = await browser!.newPage();
  onTestFinished(() => page.close());
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(sandbox.url);
  return { page, problems, client: clientOf(sandbox.url) };
};

test.skipIf(!hasBrowser)("the page shows quotes, transactions, deliveries, faults and requests", async () => {
  let quoteId = "";
  const { page, problems } = await open(
    { walk: "still", repetition: "again", webhookUrls: ["http://127.0.0.1:9/hook"] },
    async (client) => {
      quoteId = await client.createdId();
      await client.accept(quoteId);
      await client.accept(quoteId);
      await client.control("POST", "faults", { operation: "accept", kind: "hang" });
    },
  );
  const textOf = (title: string) =>
    page.locator(`section`, { has: page.locator(`h2:has-text("${title}")`) }).innerText();
  expect(await textOf("Quotes")).toContain(quoteId);
  expect(await textOf("Transactions")).toContain("AWAITING_PAYMENT");
  expect(await textOf("Deliveries")).toContain("http://127.0.0.1:9/hook");
  expect(await textOf("Faults")).toContain('{"kind":"hang","when":"before"}');
  expect(await textOf("Requests")).toContain(`/corporate/v1/quote/${quoteId}/accept`);
  expect(await page.locator("dl div", { hasText: "executed twice" }).locator("dd").innerText()).toBe("1");
  expect(await page.content()).not.toContain("Bearer");
  expect(problems).toEqual([]);
});

test.skipIf(!hasBrowser)("the page brings itself up to date, and stops where asked to", async () => {
  const { page, client } = await open({}, (client) => client.create());
  const created = page.locator("dl div", { hasText: "quotes created" }).locator("dd");
  expect(await created.innerText()).toBe("1");
  await client.create();
  await expect.poll(() => created.innerText(), { timeout: 10_000 }).toBe("2");
  await page.getByText("pause").click();
  expect(await page.locator('meta[http-equiv="refresh"]').count()).toBe(0);
});

test.skipIf(!hasBrowser)("nothing that came from outside becomes markup", async () => {
  const evil = `"'><script>alert(1)</script><img src=x onerror=alert(2)><b>bold</b>`;
  const { page, problems } = await open(
    { acceptUnknownQuotes: true, walk: "still", webhookUrls: [`http://127.0.0.1:9/?${evil}`] },
    async (client) => {
      await client.accept(evil, { counterpartyId: evil, externalId: evil });
      await client.create({ direction: evil });
      await client.control("POST", "transactions", { transactionId: evil, statuses: [evil] });
      await client.control("POST", "faults", { kind: "hang", match: { quoteId: evil } });
    },
  );
  expect(await page.locator("img, script, b").count()).toBe(0);
  expect(await page.locator("li").first().innerText()).toBe(evil);
  expect(problems).toEqual([]);
});
