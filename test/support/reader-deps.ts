import { silent } from "../../src/runtime/log.ts";
import { startTail } from "../../src/kafka/consume/tail.ts";
import type { Incoming } from "../../src/kafka/record.ts";
import { newClient } from "../../src/kafka/client.ts";
import { connectCluster } from "../../src/kafka/cluster/cluster.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import type { Log } from "../../src/runtime/log.ts";

/** What the bridge's own readers of a topic work with. */
export const readerDeps = (brokers: string, log: Log = silent) => {
  const clients = newClient({ brokers: brokers.split(","), clientId: "test", tls: false, sasl: null }, log);
  return {
    newClient: clients,
    connectCluster: () => connectCluster(clients, systemClock),
    clock: systemClock,
    log,
    random: () => 0.5,
  };
};

/** Calls `onRecord` for every record of a topic, from its beginning on. Resolves with a function that stops it. */
export const tailTopic = async (
  brokers: string,
  topic: string,
  onRecord: (record: Incoming) => void,
): Promise<() => Promise<void>> => {
  const deps = readerDeps(brokers);
  const cluster = await deps.connectCluster();
  const take = (record: Incoming): true => {
    onRecord(record);
    return true;
  };
  const tail = startTail(
    { topic },
    { begin: (ranges) => ranges, take },
    { ...deps, ranges: () => cluster.ranges(topic) },
  );
  return async () => {
    await tail.stop();
    await cluster.close();
  };
};
