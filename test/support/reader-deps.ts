import { silent } from "../../src/runtime/log.ts";
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
