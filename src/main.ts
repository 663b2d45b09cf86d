#!/usr/bin/env -S node --max-semi-space-size=16 --no-allocation-site-pretenuring
import { writeSync } from "node:fs";
import { runProgram } from "./cli/program.ts";

const stopped = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    // A second signal ends the process at once.
    if (stopped.signal.aborted) process.exit(1);
    stopped.abort(new Error(`received ${name}`));
  });
}

/** The reader of the output has gone (EPIPE): stop, without an error message. */
const outputClosed = (): void => stopped.abort(new Error("nobody reads the output"));

const write = (fd: number, line: string): void => {
  const bytes = Buffer.from(`${line}\n`);
  let written = 0;
  try {
    // A pipe that does not block takes a part of them.
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN")
      (fd === 1 ? process.stdout : process.stderr).write(bytes.subarray(written));
    else outputClosed();
  }
};

const writeBytes = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    // The callback below reports the same error; without a listener it would crash the process.
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
  atExit: (run) => process.on("exit", run),
  // node makes a pipe or socket non-blocking when its stream is first touched.
  unblock: () => process.stdout,
});
process.exit(code);
