import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { CommandError, run } from "../../../dev/run.mjs";

const onNode = fileURLToPath(new URL("../../../dev/on-node.sh", import.meta.url));

it("becomes the script on that Node.js, with its other arguments as they are", async () => {
  const folder = await mkdtemp(join(tmpdir(), "on-node-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(folder, "a script.mjs");
  await writeFile(script, "console.log(JSON.stringify([process.execPath, ...process.argv.slice(2)]))");
  const args = ["it's", "$HOME", "a  b", "--once"];
  const said = await run("sh", [onNode, script, ...args, "--node", process.execPath]);
  expect(JSON.parse(said)).toEqual([process.execPath, ...args]);
});

it("runs nothing where there is no such Node.js", async () => {
  const failed = run("sh", [onNode, "never-run.mjs", "--node", "23"]);
  await expect(failed).rejects.toThrow(CommandError);
  await expect(failed).rejects.toThrow("There is no Node.js 23 here");
});
