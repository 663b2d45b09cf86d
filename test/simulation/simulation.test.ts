// Runs the bridge's accept protocol through thousands of random schedules with faults. Then it puts mistakes
// into the code, to show that the same schedules find them. `npm run simulate` runs more schedules, and
// replays a seed that failed.
import { availableParallelism } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBuild } from "./build.ts";
import { runSchedules, findMutants } from "./campaign.ts";
import { mutants } from "./mutants.ts";

const SEEDS = 20_000;
/** Enough schedules that several of them find each mistake: then a change elsewhere does not hide one. */
const SEEDS_PER_MUTANT = 200_000;
const TIMEOUT_MS = 15 * 60_000;

describe("the accept protocol", () => {
  let build: ReturnType<typeof createBuild>;
  const threads = availableParallelism();
  beforeAll(() => {
    build = createBuild();
  }, TIMEOUT_MS);
  afterAll(() => build.remove(), TIMEOUT_MS);

  it(`breaks no promise in ${SEEDS} schedules`, { timeout: TIMEOUT_MS }, async () => {
    const printed: string[] = [];
    const { isKept, gaps } = await runSchedules(build, {
      from: 1,
      seeds: SEEDS,
      threads,
      print: (text) => printed.push(text),
    });
    expect(isKept, printed.join("\n")).toBe(true);
    expect(gaps, "the partner executes calls that operators called not executed").toBeGreaterThan(10);
  });

  it.each([
    [48_626, "two accepts of one commandId are in doubt, and a person decides on the younger one only"],
    [8_161_213, "a create that another replica began outlives an accept of its commandId"],
    [566_001, "a create's claim comes late and stays, and a doubt of its commandId ends"],
    [68_705, "the end of a doubt is to be published while another accept of its commandId is called"],
  ])("breaks no promise in schedule %d, as it once did: %s", { timeout: TIMEOUT_MS }, async (from) => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    const { isKept } = await runSchedules(build, { from, seeds: 1, threads: 1, print });
    expect(isKept, printed.join("\n")).toBe(true);
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
    const allFound = await findMutants(build, options);
    expect(allFound, printed.join("\n")).toBe(true);
    expect(printed).toHaveLength(mutants.length);
  });
});
