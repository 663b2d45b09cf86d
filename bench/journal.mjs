// npm run bench:journal -- [--node 24] [--accepts 1000000] [--per-batch 50] [--runs 3] [--within 300]
// How long a replica takes from its start until it is ready with a journal of so many accepts, how much memory it takes, and how fast it
// answers meanwhile.
import { parseArgs } from "node:util";
import { program } from "../dev/program.mjs";
import { fillJournal } from "./journal/fill-journal.mjs";
import { timeStart } from "./journal/time-start.mjs";
import { bridgeSettings, PARTITIONS, setUp } from "./bridge.mjs";
import { openAdmin, openEnvironment, recordsIn } from "./environment.mjs";
import { fixed, machine, quantile, table } from "./figures.mjs";

const { values } = parseArgs({
  options: {
    accepts: { type: "string", default: "1000000" },
    "per-batch": { type: "string", default: "50" },
    runs: { type: "string", default: "3" },
    within: { type: "string", default: "300" },
  },
});

await program(async (scope) => {
  const { step, line, environment } = await openEnvironment(scope);
  const settings = await bridgeSettings(environment, { name: "bench", flows: "webhooks,commands" });
  const { topics } = settings;
  await setUp(environment, settings);
  const admin = await openAdmin(environment);

  const accepts = Number(values.accepts);
  await step(`filling the journal with ${accepts} accepts`, () =>
    fillJournal(environment, {
      ...{ topics, partitions: PARTITIONS, accepts, perBatch: Number(values["per-batch"]) },
      progress: (text) => line(`    ${text}`),
    }),
  );
  const records = await recordsIn(admin, topics.journal);

  const processHead = ["ready after s", "", "CPU s", "RSS MB", "most MB"];
  const rows = [[...processHead, "livez p99 ms", "max", "webhooks p99 ms", "max", "not 200"]];
  for (let nth = 0; nth < Number(values.runs); nth += 1) {
    const { readyMs, cpuSeconds, rssMb, peakMb, lives, hooks } = await step("starting the bridge", () =>
      timeStart(environment, settings, Number(values.within) * 1_000),
    );
    const shares = [lives, hooks].flatMap(({ latencies }) =>
      [0.99, 1].map((share) => fixed(quantile(latencies, share), 1)),
    );
    rows.push([
      ...[fixed(readyMs / 1_000, 1), "", fixed(cpuSeconds, 1), fixed(rssMb, 0), fixed(peakMb, 0)],
      ...[...shares, String(lives.bad + hooks.bad)],
    ]);
  }
  line(
    `\n${machine()}; broker and bridge share it; ${records} records in the journal, ${PARTITIONS} partitions\n`,
  );
  line(table(rows));
  return 0;
});
