// Runs the bridge's own accept protocol through thousands of schedules of everything that can go wrong, and then puts mistakes into it
// to show that the same schedules find them. `npm run simulate` runs longer, and replays a seed that failed.
import { availableParallelism } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBuild } from "./build.ts";
import { explore, hunt } from "./campaign.ts";
import { mutants } from "./mutants.ts";

const SEEDS = 20_000;
/** Each of the mistakes is found by several of so many schedules, so that a change elsewhere does not hide one. */
const SEEDS_PER_MUTANT = 10_000;
const TIMEOUT_MS = 15 * 60_000;

describe("the accept protocol", () => {
  let build: ReturnType<typeof createBuild>;
  const threads = availableParallelism();
  beforeAll(() => {
    build = createBuild();
  });
  afterAll(() => build.remove());

  it(`breaks no promise in ${SEEDS} schedules`, { timeout: TIMEOUT_MS }, async () => {
    const printed: string[] = [];
    const held = await explore(build, {
      from: 1,
      seeds: SEEDS,
      threads,
      print: (text) => printed.push(text),
    });
    expect(held, printed.join("\n")).toBe(true);
  });

  it(`is shown to need each of its ${mutants.length} precautions`, { timeout: TIMEOUT_MS }, async () => {
    const printed: string[] = [];
    const options = {
      mutants,
      from: 1,
      seeds: SEEDS_PER_MUTANT,
      threads,
      print: (text: string) => printed.push(text),
    };
    const allFound = await hunt(build, options);
    expect(allFound, printed.join("\n")).toBe(true);
    expect(printed).toHaveLength(mutants.length);
  });
});
