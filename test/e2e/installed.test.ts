import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { NODE_FLAGS } from "../../dev/main.mjs";
import { run } from "../../dev/run.mjs";
import { root } from "../support/documents.ts";

let folder: string;
/** Where `node` is the one that runs this test. */
const env = { PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };

/** As `npm install` does with a package: its files, its packages, and a link to its program. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cambio-bridge-installed-"));
  await run("npm", ["run", "build"], { cwd: root });
  const archive = (
    await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root })
  ).trim();
  await run("tar", ["xzf", join(folder, archive.split("\n").at(-1) ?? ""), "-C", folder]);
  await symlink(join(root, "node_modules"), join(folder, "package", "node_modules"));
  await run("chmod", ["+x", join(folder, "package", "dist", "main.js")]);
  await mkdir(join(folder, "bin"));
  await symlink("../package/dist/main.js", join(folder, "bin", "cambio-bridge"));
});
afterAll(() => rm(folder, { recursive: true }));

it("runs by name, with the flags that bound its memory", async () => {
  const program = join(folder, "bin", "cambio-bridge");
  expect((await run(program, ["--version"], { env })).trim()).toMatch(/^\d+\.\d+\.\d+$/);
  const child = spawn(program, ["sandbox", "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  expect(line).toContain("http://");
  const command = await run("ps", ["-o", "args=", "-p", String(child.pid)]);
  expect(command.split(" ").slice(1, 3)).toEqual(NODE_FLAGS);
});
