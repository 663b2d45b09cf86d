// npm run pictures: docs/pictures/demo.svg, what a terminal shows of `npm run demo -- --once`. Runs the demo. Needs `script` of util-linux.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectFolder } from "./bootstrap/bootstrap.mjs";
import { pictureOf, screenLines } from "./terminal/picture.mjs";
import { run } from "./run.mjs";

const FILE = join(projectFolder, "docs", "pictures", "demo.svg");
const COMMAND = "npm run demo -- --once";
const DEMO_MS = 5 * 60_000;

// A terminal of its own, so that the demo shows what a person sees.
const output = await run("script", ["-qec", `stty cols 160; ${COMMAND}`, "/dev/null"], {
  cwd: projectFolder,
  env: { ...process.env, TERM: "xterm" },
  timeoutMs: DEMO_MS,
});
const lines = screenLines(output);
const begin = lines.findIndex((line) => line.includes("cambio-bridge\u001b[0m:"));
const end = lines.findLastIndex((line) => line.includes("is in doubt"));
if (begin < 0 || end < 0) throw new Error(`the demo did not tell its story:\n${output}`);
await writeFile(FILE, pictureOf([`\u001b[2m$\u001b[0m ${COMMAND}`, "", ...lines.slice(begin, end + 1)]));
console.log(`wrote ${FILE}`);
