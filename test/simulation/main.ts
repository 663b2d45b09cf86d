import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { createBuild } from "./build.ts";
import { runSchedules, findMutants, replaySchedule } from "./campaign.ts";
import { mutants } from "./mutants.ts";

const USAGE = `npm run simulate -- [--seeds 20000] [--from 1] [--threads N]   runs schedules; prints every seed that breaks a promise
npm run simulate -- --replay SEED [--mutant NAME]              runs one again and prints what happens in it
npm run simulate -- --mutants [--mutant NAME] [--seeds 5000]   puts mistakes into the code; prints the first seed that finds each`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    threads: { type: "string", default: String(availableParallelism()) },
    replay: { type: "string" },
    mutants: { type: "boolean", default: false },
    mutant: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

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
    const from = Number(values.from);
    if (values.mutants || mutant)
      return await findMutants(build, {
        mutants: chosen,
        from,
        seeds: Number(values.seeds ?? 5_000),
        threads,
        print: console.log,
      });
    const { isKept } = await runSchedules(build, {
      from,
      seeds: Number(values.seeds ?? 20_000),
      threads,
      print: console.log,
    });
    return isKept;
  } finally {
    build.remove();
  }
};

process.exitCode = (await main()) ? 0 : 1;
