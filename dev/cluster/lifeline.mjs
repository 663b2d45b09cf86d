import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { once } from "node:events";

// The shell holds the read end of a pipe whose write end only the parent has. However the parent ends, kill -9 included, the pipe
// closes; then the shell kills the child and removes its folder. The shell runs in a session of its own, so a Ctrl-C in the terminal
// reaches the parent alone and the parent decides the order of the shutdown.
const SHELL = `
exec 4<&0
log=$1; doomed=$2; shift 2
"$@" </dev/null >>"$log" 2>&1 4<&- &
child=$!
(
  read -r _ <&4
  trap "" TERM
  kill -9 $child
  rm -rf "$doomed"
) >/dev/null 2>&1 &
watcher=$!
exec 4<&- </dev/null
echo $child
exec >/dev/null
wait $child
code=$?
kill $watcher
exit $code
`;

/**
 * @typedef {object} Tethered a child process that ends with its parent at the latest
 * @property {number} pid of the command itself, not of the shell around it
 * @property {() => boolean} isRunning
 * @property {(signal: NodeJS.Signals) => void} signal sends a signal to the command
 * @property {() => Promise<number>} exited resolves with the exit code (128 + signal number) when it has ended
 * @property {() => Promise<string>} logTail the last lines it wrote
 */

/**
 * Starts a command that cannot outlive this process. It does not keep this process alive either.
 * @param {string[]} command
 * @param {{ logFile: string, doomedFolder: string, cwd?: string, env?: NodeJS.ProcessEnv }} options
 *   doomedFolder is removed when this process ends without ending the command first
 * @returns {Promise<Tethered>}
 */
export async function tether(command, { logFile, doomedFolder, cwd, env = process.env }) {
  const shell = spawn("/bin/sh", ["-c", SHELL, "lifeline", logFile, doomedFolder, ...command], {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  shell.stdin.on("error", () => {});
  /** @type {number | undefined} */
  let exitCode;
  const exit = once(shell, "exit").then(([code]) => {
    exitCode = Number(code ?? 1);
    shell.stdin.destroy();
    return exitCode;
  });
  exit.catch(() => {});
  const [firstLine] = await Promise.race([once(shell.stdout, "data"), exit.then(() => [""])]);
  const pid = Number(String(firstLine));
  if (!(pid > 0)) throw new Error(`could not start ${command[0]}`);
  shell.stdout.destroy();
  shell.unref();
  const pipe = /** @type {import("node:net").Socket} */ (/** @type {unknown} */ (shell.stdin));
  pipe.unref();

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
