// npm run bench:soak -- [--node 24] [--minutes 60] [--per-second 2500] [--warm-up 10]
// Hours of mixed webhooks into the bridge: new events, repetitions, later statuses, wrong signatures, unreadable bodies. Samples the
// bridge's memory. Exit code 1 when it grew, or when an answer was wrong.
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { program } from "../dev/program.mjs";
import { run } from "../dev/run.mjs";
import { TARGET } from "./bridge.mjs";
import { openEnvironment } from "./environment.mjs";
import { processFigures } from "./process-figures.mjs";
import { fixed, machine } from "./figures.mjs";
import { MIX } from "./webhooks/requests.mjs";
import { startWebhooksBridge } from "./webhooks/programs.mjs";
import { trendOf } from "./webhooks/trend.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    "per-second": { type: "string", default: "2500" },
    "warm-up": { type: "string", default: "10" },
  },
});
const totalMs = Number(values.minutes) * 60_000;
const warmUpMs = Number(values["warm-up"]) * 60_000;
const perSecond = Number(values["per-second"]);
const SLICE_SECONDS = 30;
const SAMPLE_EVERY_MS = 5_000;
const CONNECTIONS = 64;
/** A smaller slope than this is noise of the garbage collector. */
const FLAT_MB_PER_HOUR = 3;

await program(async (scope) => {
  const { step, line, environment } = await openEnvironment(scope);
  const bridge = await step("starting the bridge", () => startWebhooksBridge(environment));

  const startedAt = performance.now();
  /** @type {{ minutes: number, mb: number }[]} */
  const samples = [];
  const sampling = setInterval(async () => {
    const figures = await processFigures(bridge.pid);
    if (figures) samples.push({ minutes: (performance.now() - startedAt) / 60_000, mb: figures.rssMb });
  }, SAMPLE_EVERY_MS);
  scope.defer(async () => clearInterval(sampling));

  let answered = 0;
  let good = 0;
  for (let slice = 1; performance.now() - startedAt < totalMs; slice++) {
    const options = {
      connections: CONNECTIONS,
      seconds: SLICE_SECONDS,
      perSecond,
      mixed: true,
      port: bridge.port,
      target: TARGET,
    };
    const load = join(environment.projectFolder, "bench", "webhooks", "load.mjs");
    const figures = JSON.parse(await run(process.execPath, [load, JSON.stringify(options)]));
    answered += figures.answered;
    good += figures.good;
    if (slice % 10 === 1)
      line(
        `  ${fixed((performance.now() - startedAt) / 60_000, 1).padStart(5)} min  ${fixed(figures.answered / figures.seconds, 0)}/s` +
          `  p50 ${fixed(figures.p50Ms, 1)} ms  p99 ${fixed(figures.p99Ms, 1)} ms  RSS ${fixed(samples.at(-1)?.mb ?? NaN, 0)} MB`,
      );
  }
  clearInterval(sampling);

  const kept = samples.filter(({ minutes }) => minutes * 60_000 >= warmUpMs);
  const { perHour, errorPerHour } = trendOf(kept);
  const megabytes = kept.map(({ mb }) => mb);
  const expected = answered * (1 - MIX.wronglySigned / 100);
  const flat = Math.abs(perHour) <= Math.max(2 * errorPerHour, FLAT_MB_PER_HOUR);
  // Each slice may end within a hundred of the mix.
  const right = Math.abs(good - expected) <= (totalMs / 1_000 / SLICE_SECONDS + 1) * 100;
  line(`\n${machine()}; broker, load and bridge share it\n`);
  line(`${answered} answered, ${good} with a 2xx (${fixed(expected, 0)} expected of the mix)`);
  line(
    `RSS after ${values["warm-up"]} min: ${fixed(Math.min(...megabytes), 0)} to ${fixed(Math.max(...megabytes), 0)} MB over ${kept.length} samples,` +
      ` slope ${fixed(perHour, 2)} ± ${fixed(2 * errorPerHour, 2)} MB an hour: ${flat ? "flat" : "NOT flat"}`,
  );
  return flat && right ? 0 : 1;
});
