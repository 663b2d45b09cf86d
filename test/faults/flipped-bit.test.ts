import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { pino } from "pino";
import { startKafka } from "../../dev/cluster/kafka.mjs";
import { scan } from "../../src/kafka/consume/scan.ts";
import { eventually } from "../support/eventually.ts";
import { createTopic } from "../support/kafka.ts";
import { produce } from "../support/produce.ts";
import { readerDeps } from "../support/reader-deps.ts";

const CORRUPT: unknown = expect.stringMatching(
  /a batch of \d+ bytes at offset 1, 1 records, is corrupt: its checksum does not match/,
);

it("reads up to a record that the broker's disk has changed, stops there, and says where it stands", async () => {
  const kafka = await startKafka();
  onTestFinished(kafka.stop);
  const [broker] = kafka.brokers;
  const brokers = kafka.bootstrapServers;
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: "warn" },
    { write: (line: string) => void lines.push(JSON.parse(line) as never) },
  );
  // Before plain kafkajs sends anything: the client replaces what it sends with.
  const deps = readerDeps(brokers, log);
  const topic = await createTopic(brokers, 1);
  for (const amount of ["500.00", "1000.00"]) await produce(brokers, topic, [{ key: "k", value: amount }]);

  const segment = join(broker?.dataFolder ?? "", `${topic}-0`, "00000000000000000000.log");
  const file = await open(segment, "r+");
  await file.write("9", (await readFile(segment)).indexOf("1000.00"));
  await file.close();

  const scanned: string[] = [];
  const scanning = scan(
    { topic, ranges: new Map([[0, { startOffset: 0, endOffset: 2 }]]) },
    ({ value }) => void scanned.push(String(value)),
    deps,
    AbortSignal.timeout(30_000),
  );
  const unreadable = () => lines.filter(({ msg }) => msg === "kafka.batch.unreadable");
  await eventually(
    () => expect(unreadable()[0]).toMatchObject({ topic, partition: 0, offset: 1, reason: CORRUPT }),
    "a scan to stand",
  );
  expect(await scanning).toEqual(new Set([0]));
  expect(scanned).toEqual(["500.00"]);
});
