import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { endChild, startChild } from "../../dev/child.mjs";
import { eventually } from "./eventually.ts";
import type { Settings } from "./settings.ts";

export const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** What the shell of a developer or of a CI has set is not to decide a test. */
const environment = (settings: Settings): Settings => ({ PATH: process.env["PATH"] ?? "", ...settings });

/** How a command ended; -1 for one that had to be killed. */
export type Ended = { code: number; out: string; err: string };

/** Runs a command of the built program to its end. */
export const runProgram = (args: readonly string[], settings: Settings, timeoutMs = 60_000): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...args],
      { env: environment(settings), timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1_048_576 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, out, err });
      },
    );
  });

/** A command that runs on. It ends with the test process at the latest. */
export type Program = {
  signal: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit code when it has ended. */
  exited: () => Promise<number>;
  /** What it has written so far, to whichever stream. */
  lines: () => Promise<string[]>;
  /** Resolves when a line fits; rejects when the command ends without one. */
  untilLine: (fits: (line: string) => boolean, what: string) => Promise<string>;
  /** Asks it to end in good order, and gives the exit code. */
  stop: () => Promise<number>;
  /** Ends it at once, frozen or not. */
  kill: () => Promise<void>;
};

/** @param doomedFolder removed when the test process ends without having ended the command */
export const startProgram = async (
  args: readonly string[],
  settings: Settings,
  { logFile, doomedFolder }: { logFile: string; doomedFolder?: string | undefined },
): Promise<Program> => {
  const child = await startChild([process.execPath, MAIN, ...args], {
    logFile,
    env: environment(settings),
    ...(doomedFolder !== undefined && { doomedFolder }),
  });
  const { isRunning, signal, exited } = child;
  const lines = async (): Promise<string[]> => (await readFile(logFile, "utf8")).trimEnd().split("\n");
  return {
    signal,
    exited,
    lines,
    untilLine: async (fits, what) => {
      // A program that has ended writes nothing more.
      const found = await eventually(
        async () => {
          const wasRunning = isRunning();
          const line = (await lines()).find(fits);
          return line ?? (wasRunning ? false : null);
        },
        what,
        30_000,
      );
      if (found === null) throw new Error(`${args.join(" ")} ended: ${(await lines()).join("\n")}`);
      return found;
    },
    stop: async () => {
      await endChild(child, "SIGTERM");
      return exited();
    },
    kill: async () => {
      if (!isRunning()) return;
      signal("SIGCONT");
      signal("SIGKILL");
      await exited();
    },
  };
};
