import { setImmediate } from "node:timers/promises";
import { Partitioners } from "kafkajs";
import { createServices, type Services } from "../../src/bridge/services.ts";
import { silent } from "../../src/cli/silent.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Cluster as Asked } from "../../src/kafka/cluster/cluster.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { encode, latestSchemaId, type RecordName } from "./avro.ts";
import { clientOf } from "./kafka.ts";
import { runProgram } from "./program.ts";
import { ownNames, toolSettings, type Cluster, type Names } from "./settings.ts";
import { untilSetUp } from "./until-set-up.ts";

export type Written = { topic: string; partition: number; offset: number };
export type ToWrite = {
  key: string | null;
  value: string | Buffer | null;
  atMs?: number;
  headers?: Record<string, string>;
};

/** Topics of a test's own, as `setup` makes them, and what the console reads them with. */
export type ConsoleTopics = Names & {
  config: Config;
  services: Services;
  cluster: Asked;
  encoded: (record: RecordName, value: unknown) => Buffer;
  /**
   * Writes one record after the other, each in a millisecond of its own: times order the records of several
   * topics. Resolves with where each stands.
   */
  write: (topic: string, records: readonly ToWrite[]) => Promise<Written[]>;
  /** Writes many at once, in their order, to where their keys belong. */
  writeMany: (topic: string, records: readonly ToWrite[]) => Promise<void>;
  close: () => Promise<void>;
};

export const openConsoleTopics = async (at: Cluster): Promise<ConsoleTopics> => {
  const names = ownNames();
  const settings = toolSettings(at, names);
  await untilSetUp(() => runProgram(["setup"], settings));
  const loaded = loadConfig(settings, "tool");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { config } = loaded;
  const services = createServices(config, systemClock, silent);
  const cluster = await services.connectCluster();
  const producer = clientOf(at.kafkaBrokers).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();

  const topicsOf: Record<RecordName, string> = {
    "transaction-status-updated": names.topics.events,
    command: names.topics.commands,
    "command-result": names.topics.results,
    "command-journal-entry": names.topics.journal,
  };
  const ids = new Map<RecordName, number>();
  for (const [record, topic] of Object.entries(topicsOf) as [RecordName, string][])
    ids.set(record, await latestSchemaId(at.schemaRegistryUrl, topic));

  const messageOf = ({ atMs, headers, ...message }: ToWrite) => ({
    ...message,
    ...(atMs !== undefined && { timestamp: String(atMs) }),
    ...(headers && { headers }),
  });
  return {
    ...names,
    ...{ config, services, cluster },
    encoded: (record, value) => encode(record, ids.get(record) ?? 0, value),
    write: async (topic, records) => {
      const written: Written[] = [];
      for (const record of records) {
        const [sent] = await producer.send({ topic, acks: -1, messages: [messageOf(record)] });
        written.push({ topic, partition: sent?.partition ?? -1, offset: Number(sent?.baseOffset) });
        const writtenAtMs = Date.now();
        while (Date.now() === writtenAtMs) await setImmediate();
      }
      return written;
    },
    writeMany: async (topic, records) => {
      for (let from = 0; from < records.length; from += 1_000)
        await producer.send({ topic, acks: -1, messages: records.slice(from, from + 1_000).map(messageOf) });
    },
    close: async () => {
      await Promise.all([producer.disconnect(), cluster.close()]);
      services.close();
    },
  };
};
