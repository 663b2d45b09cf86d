import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** A pipe whose reader stays until the test ends, and reads only when the test says so. */
export const openUnreadPipe = () => {
  const path = join(temporaryFolder(), "pipe");
  execFileSync("mkfifo", [path]);
  const readEnd = openSync(path, O_RDONLY | O_NONBLOCK);
  const writeEnd = openSync(path, O_WRONLY);
  const filling = openSync(path, O_WRONLY | O_NONBLOCK);
  onTestFinished(() => {
    for (const fd of [readEnd, writeEnd, filling]) closeSync(fd);
  });
  return {
    /** The descriptor to write to, for a child. */
    writeEnd,
    /** What is in the pipe; throws when it is empty. */
    read: (): string => {
      const bytes = Buffer.alloc(65_536);
      return bytes.toString("utf8", 0, readSync(readEnd, bytes));
    },
    /** Writes to it until it takes no more. */
    fill: (): void => {
      try {
        for (;;) writeSync(filling, " ");
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      }
    },
  };
};
