import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

// The parent is a process of its own, which is killed the hardest way; a frozen child must not outlive it either.
it.each(["running", "frozen"])(
  "ends a %s command and removes its folder when the parent is killed",
  async (state) => {
    const folder = temporaryFolder();
    const [logFile, ownFolder] = [join(folder, "log"), join(folder, "doomed")];
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
