import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { endChild, startChild } from "../../dev/child.mjs";
import { COMPILED, MAIN, NODE_FLAGS } from "../../dev/main.mjs";
import { eventually } from "./eventually.ts";
import type { Settings } from "./settings.ts";

/** Only PATH and the given settings: the environment of the shell must not influence a test. */
const environment = (settings: Settings): Settings => ({
  PATH: process.env["PATH"] ?? "",
  ...COMPILED,
  ...settings,
});

/** The result of a command; code -1 when it was killed. */
export type ProgramResult = { code: number; out: string; err: string };

/** Runs a command of the program to its end. */
export const runProgram = (
  args: readonly string[],
  settings: Settings,
  timeoutMs = 60_000,
): Promise<ProgramResult> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [...NODE_FLAGS, MAIN, ...args],
      { env: environment(settings), timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1_048_576 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, out, err });
      },
    );
  });

/** A command that keeps running. It is killed when the test process ends. */
export type Program = {
  pid: number;
  signal: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit code. */
  exited: () => Promise<number>;
  /** The output so far, of both streams. */
  lines: () => Promise<string[]>;
  /** Resolves with the first line that fits; rejects when the command ends without one. */
  untilLine: (fits: (line: string) => boolean, what: string) => Promise<string>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop: () => Promise<number>;
  /** Sends SIGKILL, also to a frozen process. */
  kill: () => Promise<void>;
};

/** @param ownFolder removed when the test process dies before the command has ended */
export const startProgram = async (
  args: readonly string[],
  settings: Settings,
  { logFile, ownFolder, main = MAIN }: { logFile: string; ownFolder?: string | undefined; main?: string },
): Promise<Program> => {
  const child = await startChild([process.execPath, ...NODE_FLAGS, main, ...args], {
    logFile,
    env: environment(settings),
    ...(ownFolder !== undefined && { ownFolder }),
  });
  const { pid, isRunning, signal, exited } = child;
  const lines = async (): Promise<string[]> => (await readFile(logFile, "utf8")).trimEnd().split("\n");
  return {
    pid,
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
