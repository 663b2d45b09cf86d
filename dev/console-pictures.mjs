// npm run pictures: the console's pages as they look, with invented data, for docs/console.md. Needs /usr/bin/chromium.
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createConsoleServer } from "../src/console/server.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { consoleFakes } from "../test/support/console-fakes.ts";
import { options, silent } from "../test/unit/console/browser.ts";

const FOLDER = fileURLToPath(new URL("../docs/pictures", import.meta.url));
const PAGES = [
  { name: "overview", path: "/", colorScheme: "light" },
  { name: "doubt", path: "/doubts/order-71-accept", colorScheme: "light" },
  { name: "transaction", path: "/transactions/tx-1", colorScheme: "dark" },
];

const { queries, actions } = consoleFakes();
const server = createConsoleServer(options(), { queries, actions, clock: systemClock, log: silent });
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
const port = typeof address === "object" ? address?.port : undefined;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
await mkdir(FOLDER, { recursive: true });
for (const { name, path, colorScheme } of PAGES) {
  const page = await browser.newPage({
    viewport: { width: 1_000, height: 760 },
    colorScheme: colorScheme === "dark" ? "dark" : "light",
    httpCredentials: { username: "ana", password: "right" },
  });
  await page.goto(`http://127.0.0.1:${port}${path}`);
  const file = join(FOLDER, `console-${name}.png`);
  await page.screenshot({ path: file });
  await page.close();
  console.log(`wrote ${file}`);
}
await browser.close();
server.close();
server.closeAllConnections();
