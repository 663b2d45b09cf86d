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

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

const output = { isIncomplete: false };
/** Stops the command if standard output is lost, silently if its reader has gone (EPIPE). Ignores standard error. */
const outputFailed = (fd: 1 | 2, error: unknown): void => {
  if (fd === 2 || stopped.signal.aborted) return;
  stopped.abort(new Error("nobody reads the output"));
  if (codeOf(error) === "EPIPE") return;
  output.isIncomplete = true;
  write(2, `Standard output cannot be written (${String(codeOf(error))}).`);
};

const streamOf = (fd: 1 | 2): NodeJS.WriteStream => {
  const stream = fd === 1 ? process.stdout : process.stderr;
  // An error that nobody listens to would crash the process.
  if (stream.listenerCount("error") === 0) stream.on("error", (error) => outputFailed(fd, error));
  return stream;
};

const write = (fd: 1 | 2, line: string): void => {
  const bytes = Buffer.from(`${line}\n`);
  let written = 0;
  try {
    // A non-blocking pipe may take only a part of the bytes.
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    if (codeOf(error) === "EAGAIN") streamOf(fd).write(bytes.subarray(written));
    else outputFailed(fd, error);
  }
};

const writeBytes = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    streamOf(1).write(bytes, (error) => {
      if (error) outputFailed(1, error);
      if (error) reject(error);
      else resolve();
    });
  });

const OLDEST_NODE = 24;
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  write(
    2,
    `cambio-bridge needs Node.js ${OLDEST_NODE} or newer, and this is ${process.version}: install another.`,
  );
  process.exit(1);
}

const code = await runProgram(process.argv.slice(2), {
  env: process.env,
  out: (line) => write(1, line),
  write: writeBytes,
  err: (line) => write(2, line),
  stopped: stopped.signal,
  ends: {
    atExit: (run) => process.on("exit", run),
    // node makes a pipe or socket non-blocking when its stream is first touched.
    unblock: () => process.stdout,
  },
});
process.exit(output.isIncomplete && code === 0 ? 1 : code);
