import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** A pipe whose reader stays until the test ends, and reads only when the test says so. */
export type UnreadPipe = {
  /** The descriptor to write to, for a child. */
  writeEnd: number;
  /** What is in the pipe; throws when it is empty. */
  read: () => string;
  /** Writes to it until it takes no more. */
  fill: () => void;
};

export const openUnreadPipe = async (): Promise<UnreadPipe> => {
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-pipe-"));
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const readEnd = openSync(path, O_RDONLY | O_NONBLOCK);
  const writeEnd = openSync(path, O_WRONLY);
  const filling = openSync(path, O_WRONLY | O_NONBLOCK);
  onTestFinished(async () => {
    for (const fd of [readEnd, writeEnd, filling]) closeSync(fd);
    await rm(folder, { recursive: true });
  });
  return {
    writeEnd,
    read: () => {
      const bytes = Buffer.alloc(65_536);
      return bytes.toString("utf8", 0, readSync(readEnd, bytes));
    },
    fill: () => {
      try {
        for (;;) writeSync(filling, " ");
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      }
    },
  };
};
