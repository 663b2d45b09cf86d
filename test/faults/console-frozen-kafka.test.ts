import { expect, onTestFinished, test } from "vitest";
import { startKafka } from "../../dev/cluster/kafka.mjs";
import { sharedCluster } from "../support/cluster.ts";
import { startConsole } from "../support/console-program.ts";
import { eventually } from "../support/eventually.ts";
import { openTestWorld } from "../support/world.ts";

const FROZEN_S = 40;
/** A question is silent for 4 s, and may begin as late as 2.5 s after the last answer. */
const RED_WITHIN_S = 12;

type Console = Awaited<ReturnType<typeof startConsole>>;

/** What the overview and the page of doubts say by their colours; `says`: that nothing is in doubt. */
const look = async ({ get }: Console) => {
  const [overview, doubts] = await Promise.all([get("/"), get("/doubts")]);
  const tones = (text: string) =>
    [...text.matchAll(/class="(?:verdict|notice) (\w+)"/g)].map(([, tone]) => tone);
  return {
    overview: tones(overview.text),
    doubts: tones(doubts.text),
    says: `${overview.text}${doubts.text}`.includes("No command is in doubt"),
    age: /In doubt<\/dt><dd>.*?known (\d+) s ago/s.exec(overview.text)?.[1],
    blames: /journal cannot be read/.test(overview.text + doubts.text),
  };
};
type Look = Awaited<ReturnType<typeof look>>;
const isRed = ({ overview, doubts }: Look) => overview[0] === "bad" && doubts[0] === "bad";

test("while Kafka is frozen the console is red, and says nothing that it does not know", async () => {
  const kafka = await startKafka({ brokers: 1 });
  onTestFinished(() => kafka.stop());
  const world = await openTestWorld({
    cluster: { ...sharedCluster(), kafkaBrokers: kafka.bootstrapServers },
    settings: { FLOWS: "webhooks,commands" },
  });
  await world.startReady();
  const settings = { CONSOLE_AUTH: "none" };
  const shown = await startConsole(world, settings);
  const untilGreen = () =>
    eventually(
      async () => {
        const { overview, says } = await look(shown);
        return overview[0] === "good" && says;
      },
      "the console to be green",
      60_000,
    );
  await untilGreen();

  const [broker] = kafka.brokers;
  broker!.freeze();
  onTestFinished(() => broker!.resume());
  const fresh = await startConsole(world, settings);
  const looks: { atS: number; known: Look; cold: Look }[] = [];
  const beganAt = performance.now();
  const seconds = () => (performance.now() - beganAt) / 1_000;
  await eventually(
    async () => {
      const [known, cold] = await Promise.all([look(shown), look(fresh)]);
      looks.push({ atS: seconds(), known, cold });
      return seconds() > FROZEN_S;
    },
    "the outage to have lasted",
    2 * FROZEN_S * 1_000,
  );
  const firstRed = looks.findIndex(({ known, cold }) => isRed(known) && isRed(cold));
  expect(looks[firstRed]?.atS).toBeLessThan(RED_WITHIN_S);
  for (const { known, cold } of looks.slice(firstRed)) {
    expect([known, cold].every(isRed), JSON.stringify({ known, cold })).toBe(true);
    for (const { overview, doubts, says } of [known, cold])
      expect([...overview, ...doubts, says].filter((each) => each !== "bad")).toEqual([false]);
  }
  for (const { cold } of looks) {
    expect([...cold.overview, ...cold.doubts].filter((tone) => tone === "good" || tone === "wait")).toEqual(
      [],
    );
    expect([cold.says, cold.blames]).toEqual([false, false]);
  }
  expect(Number(looks.at(-1)!.known.age)).toBeGreaterThan(FROZEN_S / 2);

  broker!.resume();
  await untilGreen();
}, 240_000);
