#!/usr/bin/env node
import { writeSync } from "node:fs";
import { runProgram } from "./cli/program.ts";

const stopped = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    // Asked again, somebody is in a hurry.
    if (stopped.signal.aborted) process.exit(1);
    stopped.abort(new Error(`received ${name}`));
  });
}

/** Whoever reads our output may have gone: then there is nobody to tell. */
const outputClosed = (): void => stopped.abort(new Error("nobody reads the output"));

const write = (fd: number, line: string): void => {
  try {
    writeSync(fd, `${line}\n`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN")
      (fd === 1 ? process.stdout : process.stderr).write(`${line}\n`);
    else outputClosed();
  }
};

/** Only here process.stdout is looked at: node makes a pipe non-blocking then, and the log's lines want one that blocks. */
const writeBytes = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    // Told to whoever writes as well; without somebody who listens it would end the process.
    if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", outputClosed);
    process.stdout.write(bytes, (error) => {
      if (error) outputClosed();
      if (error) reject(error);
      else resolve();
    });
  });

const code = await runProgram(process.argv.slice(2), {
  env: process.env,
  out: (line) => write(1, line),
  write: writeBytes,
  err: (line) => write(2, line),
  stopped: stopped.signal,
});
process.exit(code);
