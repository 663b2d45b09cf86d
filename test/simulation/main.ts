import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { createBuild } from "./build.ts";
import { runSchedules, findMutants, replaySchedule } from "./campaign.ts";
import { mutants } from "./mutants.ts";

const USAGE = `npm run simulate -- [--seeds 20000] [--from SEED] [--threads N] runs schedules; prints every seed that breaks a promise.
                                                               Without --from, as many others follow, from a seed drawn by lot
npm run simulate -- --replay SEED [--mutant NAME]              runs one again and prints what happens in it
npm run simulate -- --mutants [--mutant NAME] [--seeds 5000]   puts mistakes into the code; prints the first seed that finds each`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string" },
    threads: { type: "string", default: String(availableParallelism()) },
    replay: { type: "string" },
    mutants: { type: "boolean", default: false },
    mutant: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

/** Seeds below it are those that everybody has run. */
const LEAST_DRAWN_SEED = 1_000_000;

const chosen = mutants.filter(({ name }) => values.mutant === undefined || name === values.mutant);

const main = async (): Promise<boolean> => {
  if (values.help || chosen.length === 0) {
    console.log(USAGE);
    return values.help;
  }
  const build = createBuild();
  try {
    const [mutant] = values.mutant === undefined ? [] : chosen;
    if (values.replay !== undefined)
      return await replaySchedule(build, {
        seed: Number(values.replay),
        mutant: mutant ?? null,
        print: console.log,
      });
    const threads = Number(values.threads);
    if (values.mutants || mutant)
      return await findMutants(build, {
        mutants: chosen,
        from: Number(values.from ?? 1),
        seeds: Number(values.seeds ?? 5_000),
        threads,
        print: console.log,
      });
    const starts =
      values.from === undefined ? [1, randomInt(LEAST_DRAWN_SEED, 2 ** 30)] : [Number(values.from)];
    let areAllKept = true;
    for (const from of starts) {
      console.log(`seeds from ${from}`);
      const seeds = Number(values.seeds ?? 20_000);
      const { isKept } = await runSchedules(build, { from, seeds, threads, print: console.log });
      areAllKept &&= isKept;
    }
    return areAllKept;
  } finally {
    build.remove();
  }
};

process.exitCode = (await main()) ? 0 : 1;
