// npm run bench:reconcile -- [--node 24] [--entries 300000] [--lost 0.01] [--before 20]
// A day of the partner's log with notifications that were never delivered, and a bridge that finds them while webhooks and accepts come:
// how soon, in how much memory, and what that costs the other flows. Exit code 1 when the topic lacks or repeats a notification.
import { parseArgs } from "node:util";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { program } from "../dev/program.mjs";
import { latenciesOf, startLoad } from "./reconcile/load.mjs";
import { fillEvents } from "./reconcile/fill-events.mjs";
import { prepareReconcileBridge, startReconcileBridge, startSandbox, TOPICS } from "./reconcile/programs.mjs";
import { openAdmin, openEnvironment, recordsIn } from "./environment.mjs";
import { fixed, machine, quantile, table } from "./figures.mjs";

const { values } = parseArgs({
  options: {
    entries: { type: "string", default: "300000" },
    lost: { type: "string", default: "0.01" },
    before: { type: "string", default: "20" },
  },
});
const HOUR_MS = 3_600_000;
const EVERY = "5s";
const LOOK_EVERY_MS = 100;
const STALL_MS = 600_000;
const PUBLISHED = 'cambio_bridge_reconcile_notifications_total{kind="published"}';

await program(async (scope) => {
  const { step, line, environment } = await openEnvironment(scope);
  const { brokers } = environment;
  const admin = await openAdmin(environment);

  const sandbox = await step("starting the sandbox", () => startSandbox(environment));
  const settings = await prepareReconcileBridge(environment, sandbox.url, EVERY);

  // Older than the deduplication window, so that the bridge must scan the topic.
  const period = { from: Date.now() - 25 * HOUR_MS, to: Date.now() - 3 * HOUR_MS };
  const [from, to] = [new Date(period.from).toISOString(), new Date(period.to).toISOString()];
  const entries = Number(values.entries);
  const lost = Math.round(entries * Number(values.lost));
  const past = (/** @type {number} */ count, /** @type {number} */ lostShare) =>
    sandbox.control("POST", "/_sandbox/log", { count, from, to, lostShare, send: false });
  await step(`entering ${entries} notifications, ${lost} of them lost`, () => past(entries - lost, 0));
  const filled = await step("writing the events of the delivered ones", () =>
    fillEvents(environment, sandbox, period),
  );
  await past(lost, 1);
  // Hides all entries for now.
  await sandbox.control("PUT", "/_sandbox/log", { lateMs: 30 * 24 * HOUR_MS });

  const bridge = await step("starting the bridge", () => startReconcileBridge(environment, settings));
  const load = await startLoad({ port: bridge.port, brokers });
  await sleep(5_000);
  const beforeFrom = performance.now();
  await step("measuring without entries", () => sleep(Number(values.before) * 1_000));
  const peakBefore = await bridge.peakMb();

  const shownAt = performance.now();
  const runsBefore = (await bridge.runs()).length;
  await sandbox.control("PUT", "/_sandbox/log", { lateMs: 0 });
  const found = await step("finding what was lost", async () => {
    while (performance.now() - shownAt < STALL_MS) {
      if ((await bridge.counter(PUBLISHED)) >= lost) return true;
      await sleep(LOOK_EVERY_MS);
    }
    return false;
  });
  const foundAfterMs = performance.now() - shownAt;
  const isOver = async () => (await bridge.runs()).slice(runsBefore).some(({ entries: seen }) => seen > 0);
  while (found && !(await isOver())) await sleep(LOOK_EVERY_MS);
  const foundAt = performance.now();
  const peak = await bridge.peakMb();
  const first = (await bridge.runs()).slice(runsBefore).find(({ entries: seen }) => seen > 0);
  const again = await step("waiting for a second run", async () => {
    const isSecond = async () =>
      (await bridge.runs()).slice(runsBefore).filter(({ entries: seen }) => seen > 0)[1];
    for (;;) {
      const second = await isSecond();
      if (second || performance.now() - foundAt > STALL_MS) return second;
      await sleep(LOOK_EVERY_MS);
    }
  });
  const secondAt = performance.now();
  const sums = await load.stop();

  const times = [
    { name: "no entries", from: beforeFrom, to: shownAt },
    { name: `${lost} of ${entries} lost`, from: shownAt, to: foundAt },
    { name: "all known", from: foundAt, to: secondAt },
  ];
  const figuresOf = (
    /** @type {import("./reconcile/load.mjs").Sample[]} */ samples,
    /** @type {{ from: number, to: number }} */ time,
  ) => {
    const sorted = latenciesOf(samples, time.from, time.to);
    return [String(sorted.length), ...[0.5, 0.99, 1].map((q) => fixed(quantile(sorted, q), 1))];
  };
  line(
    `\n${machine()}; broker, sandbox, load and bridge share it; 100 webhooks and 5 accepts a second meanwhile\n`,
  );
  line(
    table([
      ["while the log shows", "", "number", "p50 ms", "p99 ms", "max ms"],
      ...times.flatMap((time) => [
        [time.name, "webhooks", ...figuresOf(load.webhooks, time)],
        ["", "accepts", ...figuresOf(load.accepts, time)],
      ]),
    ]),
  );
  const perSecond = first ? (first.entries / first.ms) * 1_000 : null;
  line(
    `\nall lost ones in the topic ${fixed(foundAfterMs / 1_000, 1)} s after the log showed them; ` +
      `the run took ${fixed((first?.ms ?? NaN) / 1_000, 1)} s, ${fixed(perSecond, 0)} entries/s; ` +
      `the next one, with nothing lost, ${fixed((again?.ms ?? NaN) / 1_000, 1)} s`,
  );
  line(`most memory: ${fixed(peakBefore, 0)} MB before, ${fixed(peak, 0)} MB with the run`);

  const held = await recordsIn(admin, TOPICS.events);
  const wrong = [
    ...(found ? [] : ["not all that was lost was found"]),
    ...(held === filled + lost + sums.good ? [] : [`${held} records for ${filled} + ${lost} + ${sums.good}`]),
    ...(again?.published === 0
      ? []
      : [`a second run published ${again?.published ?? "nothing, for it did not end"}`]),
    ...(sums.good === sums.sent ? [] : [`${sums.good} of ${sums.sent} webhooks answered with a 200`]),
    ...(sums.unanswered === 0 ? [] : [`${sums.unanswered} accepts without a result`]),
    ...(sums.broken === null ? [] : [sums.broken]),
  ];
  for (const problem of wrong) line(problem);
  return wrong.length === 0 ? 0 : 1;
});
