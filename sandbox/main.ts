#!/usr/bin/env node
import { once } from "node:events";
import { ArgumentsError, readArguments } from "./arguments.ts";
import { startSandbox } from "./start.ts";

const stopped = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));

/** @returns the exit code: 1 where it cannot listen, 2 for arguments that cannot be used */
const run = async (): Promise<number> => {
  const options = readArguments(process.argv.slice(2), process.env);
  if (typeof options === "string") {
    console.log(options);
    return 0;
  }
  const sandbox = await startSandbox(options).catch((error: unknown) => {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    console.error(
      `Cannot listen on ${options.host}:${options.port} (${error.message}): choose another with --host or --port.`,
    );
    return null;
  });
  if (sandbox === null) return 1;
  console.log(`sandbox listening on ${sandbox.url} (time scale ${options.timeScale ?? 1})`);
  await stopped;
  await sandbox.close();
  return 0;
};

process.exitCode = await run().catch((error: unknown) => {
  if (!(error instanceof ArgumentsError)) throw error;
  console.error(error.message);
  return 2;
});
