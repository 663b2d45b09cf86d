import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startChild } from "../../../dev/child.mjs";
import { eventually } from "../../support/eventually.ts";

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lifeline-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inFolder = () => ({ logFile: join(folder, "log"), ownFolder: join(folder, "doomed") });

it("tells how the command ended and what it wrote, and sends signals to it", async () => {
  const lines: string[] = [];
  const command = ["sh", "-c", "echo one; echo aside >&2; echo two; exec sleep 600"];
  const child = await startChild(command, { ...inFolder(), onLine: (line) => lines.push(line) });
  await eventually(() => lines.length === 2, "both lines");
  child.signal("SIGTERM");
  expect(await child.exited()).toBe(128 + 15);
  expect([child.isRunning(), isAlive(child.pid)]).toEqual([false, false]);
  expect(lines).toEqual(["one", "two"]);
  expect(await child.logTail()).toMatch(/^aside\b/);
});

// The parent is a process of its own, which is killed the hardest way; a frozen child must not outlive it either.
it.each(["running", "frozen"])(
  "ends a %s command and removes its folder when the parent is killed",
  async (state) => {
    const { logFile, ownFolder } = inFolder();
    await mkdir(ownFolder);
    const module = new URL("../../../dev/child.mjs", import.meta.url).href;
    const script = `
    const { startChild } = await import(${JSON.stringify(module)});
    const child = await startChild(["sleep", "600"], ${JSON.stringify({ logFile, ownFolder })});
    if (${JSON.stringify(state)} === "frozen") child.signal("SIGSTOP");
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);

    parent.kill("SIGKILL");
    await eventually(() => !isAlive(pid) && !existsSync(ownFolder), "both to be gone", 15_000);
  },
);
