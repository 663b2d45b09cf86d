import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { createInterface } from "node:readline";

// A child process must not outlive its parent. The shell holds the read end of a pipe whose write end only the parent has: when the
// parent ends, by kill -9 too, the pipe closes, and the shell kills the child and removes its folder. The shell runs in a session of
// its own, so that a Ctrl-C in the terminal reaches the parent alone, which decides the order of the shutdown.
const SHELL = `
exec 4<&0 2>>"$1"
[ "$2" = lines ] || exec >&2
folder=$3; shift 3
"$@" </dev/null 3>&- 4<&- &
child=$!
(
  read -r _ <&4
  trap "" TERM
  kill -9 $child
  [ -z "$folder" ] || rm -rf "$folder"
) >/dev/null 2>&1 3>&- &
watcher=$!
echo $child >&3
exec >/dev/null </dev/null 3>&- 4<&-
wait $child
code=$?
kill $watcher
exit $code
`;

/**
 * @typedef {object} Child a process that ends with its parent at the latest
 * @property {number} pid of the command itself, not of the shell around it
 * @property {() => boolean} isRunning
 * @property {(signal: NodeJS.Signals) => void} signal sends a signal to the command
 * @property {() => Promise<number>} exited resolves with the exit code (128 + signal number) when it has ended
 * @property {() => Promise<string>} logTail the last lines it wrote
 */

/**
 * Starts a command that cannot outlive this process. It does not keep this process alive either.
 * @param {string[]} command
 * @param {object} options
 * @param {string} options.logFile what it writes is appended to this
 * @param {string} [options.ownFolder] removed when this process ends without ending the command first
 * @param {(line: string) => void} [options.onLine] gets the lines of its standard output, which then don't go to the log
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @returns {Promise<Child>}
 */
export async function startChild(command, { logFile, ownFolder = "", onLine, cwd, env = process.env }) {
  const output = onLine ? "lines" : "log";
  const shell = spawn("/bin/sh", ["-c", SHELL, "lifeline", logFile, output, ownFolder, ...command], {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", onLine ? "pipe" : "ignore", "ignore", "pipe"],
  });
  const [lifeline, stdout, , announcement] = /** @type {import("node:net").Socket[]} */ (
    /** @type {unknown} */ (shell.stdio)
  );
  if (!lifeline || !announcement) throw new Error("the shell has no pipes");
  lifeline.on("error", () => {});
  if (onLine && stdout) createInterface(stdout).on("line", onLine);
  /** @type {number | undefined} */
  let exitCode;
  const exit = once(shell, "exit").then(([code]) => {
    exitCode = Number(code ?? 1);
    lifeline.destroy();
    return exitCode;
  });
  exit.catch(() => {});
  const [firstLine] = await Promise.race([once(announcement, "data"), exit.then(() => [""])]);
  const pid = Number(String(firstLine));
  if (!(pid > 0)) throw new Error(`could not start ${command[0]}`);
  announcement.destroy();
  for (const held of [shell, lifeline, stdout]) held?.unref();

  return {
    pid,
    isRunning: () => exitCode === undefined,
    signal: (signal) => {
      if (exitCode === undefined) process.kill(pid, signal);
    },
    exited: () => {
      shell.ref();
      return exit;
    },
    logTail: async () => {
      const text = await readFile(logFile, "utf8").catch(() => "");
      return text.trimEnd().split("\n").slice(-25).join("\n");
    },
  };
}

/** How long an orderly end may take before SIGKILL: longer than the 25 s of SHUTDOWN_TIMEOUT. */
const ORDERLY_MS = 30_000;

/**
 * Sends a signal and waits until the process is gone; kills it when it does not end.
 * @param {Child} child
 * @param {NodeJS.Signals} signal
 */
export async function endChild(child, signal) {
  child.signal(signal);
  const force = setTimeout(() => child.signal("SIGKILL"), ORDERLY_MS);
  await child.exited();
  clearTimeout(force);
}
