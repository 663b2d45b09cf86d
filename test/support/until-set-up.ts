import { eventually } from "./eventually.ts";
import type { ProgramResult } from "./program.ts";

/** Runs `setup` until it succeeds: while the shared cluster is busy it may give up, and can be run again. */
export const untilSetUp = (setup: () => Promise<ProgramResult>): Promise<unknown> =>
  eventually(
    async () => {
      const { code, err } = await setup();
      if (code !== 0 || err !== "") throw new Error(`setup ended with ${code}: ${err}`);
      return true;
    },
    "setup",
    45_000,
  );
