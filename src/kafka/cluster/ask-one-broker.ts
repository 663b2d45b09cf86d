import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { openInternalCluster } from "../kafkajs-fixes/internal-cluster.ts";

export type Described = { clusterId: string; advertised: readonly string[] };

const CLOSE_MS = 1_000;

/** Asks the one broker that `newClient` knows, and no other: the advertised addresses may be wrong. */
export const askOneBroker = async (newClient: NewClient, clock: Clock): Promise<Described> => {
  const cluster = openInternalCluster(newClient());
  try {
    await cluster.connect();
    await cluster.refreshMetadata();
    const { clusterId = "", brokers = [] } = cluster.brokerPool.metadata ?? {};
    const addresses = brokers.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`);
    return { clusterId, advertised: addresses };
  } finally {
    void clock.within(CLOSE_MS, undefined, cluster.disconnect()).catch(() => undefined);
  }
};
