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
import { eventually } from "../support/eventually.ts";

const [BRIDGE, SANDBOX] = ["dist/main.js", "sandbox/dist/main.js"] as const;

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
  for (const main of [BRIDGE, SANDBOX]) await run("chmod", ["+x", join(folder, "package", main)]);
  await mkdir(join(folder, "bin"));
  await symlink(join("../package", BRIDGE), join(folder, "bin", "cambio-bridge"));
  await symlink(join("../package", SANDBOX), join(folder, "bin", "fx-sandbox"));
});
afterAll(() => rm(folder, { recursive: true }));

it("runs by name, with the flags that bound its memory", async () => {
  const program = join(folder, "bin", "cambio-bridge");
  expect((await run(program, ["--version"], { env })).trim()).toMatch(/^\d+\.\d+\.\d+$/);
  const settings = { KAFKA_BROKERS: "127.0.0.1:1", SCHEMA_REGISTRY_URL: "http://127.0.0.1:1" };
  const child = spawn(program, ["watch", "events"], { env: { ...env, ...settings }, stdio: "ignore" });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  // The first process is the shell's `env`, which becomes Node.js.
  const command = await eventually(async () => {
    const args = await run("ps", ["-o", "args=", "-p", String(child.pid)]);
    return args.includes("/env ") ? false : args;
  }, "Node.js");
  expect(command.split(" ").slice(1, 3)).toEqual(NODE_FLAGS);
});

it("has the sandbox beside it, which runs by name and needs no packages", async () => {
  await rm(join(folder, "package", "node_modules"));
  const child = spawn(join(folder, "bin", "fx-sandbox"), ["--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    await symlink(join(root, "node_modules"), join(folder, "package", "node_modules"));
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  expect(line).toContain("http://");
});
