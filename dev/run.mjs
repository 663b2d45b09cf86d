import { spawn } from "node:child_process";

/** A command ended with an exit code other than 0, or could not be started. */
export class CommandError extends Error {
  /**
   * @param {string} command
   * @param {string} output everything it wrote
   * @param {number | string} how exit code, signal or system error code
   */
  constructor(command, output, how) {
    super(`${command} failed (${how})${output.trim() === "" ? "" : `:\n${output.trim()}`}`);
    this.name = "CommandError";
    this.output = output;
    this.how = how;
  }
}

/**
 * Runs a command to its end; ends it when this process ends first.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, timeoutMs?: number, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} what it wrote to both streams, in the order it came
 */
export function run(command, args, { cwd, timeoutMs, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      stdio: ["ignore", "pipe", "pipe"],
    });
    const endCommand = () => child.kill("SIGTERM");
    process.once("exit", endCommand);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (/** @type {string} */ text) => (output += text));
    }
    child.once("error", (/** @type {NodeJS.ErrnoException} */ error) =>
      reject(new CommandError(command, output, error.code ?? error.message)),
    );
    child.once("close", (code, signal) => {
      process.removeListener("exit", endCommand);
      if (code === 0) resolve(output);
      else reject(new CommandError([command, ...args].join(" "), output, signal ?? code ?? "unknown"));
    });
  });
}
