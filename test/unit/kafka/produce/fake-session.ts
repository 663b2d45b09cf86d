import type { LeaderLookup, Sender } from "../../../../src/kafka/produce/session.ts";
import type { PendingRecord } from "../../../../src/kafka/produce/backlog.ts";

/** An error as kafkajs throws it for an error code of a broker. */
export const protocolError = (type: string): Error => Object.assign(new Error(type), { type });

type Behaviour = (batch: readonly PendingRecord[]) => Promise<void>;

/** A fake cluster: partitions with leaders, the records written to each, and injected faults. */
export const paperCluster = (partitions: number) => {
  const logs = Array.from({ length: partitions }, (): string[] => []);
  const cluster = {
    leaders: Array.from({ length: partitions }, (): number | null => 1),
    /** Runs before the records of a send are written; a rejection keeps them from being written. */
    before: (() => Promise.resolve()) as Behaviour,
    /** Runs after they are written. */
    after: (() => Promise.resolve()) as Behaviour,
    /** Partitions that refuse their part of a send while others take theirs, and with which error. */
    refusing: new Map<number, Error>(),
    unreachable: null as Error | null,
    /** Why the connections that are open fail to look up leaders, while new ones do not. */
    died: null as Error | null,
    opened: 0,
    lookups: 0,
    closed: 0,
    batches: [] as string[][],
    /** How long brokers were told to wait for replicas, each once. */
    timeouts: [] as number[],
    /** How many sends were under way to one leader, at most. */
    most: 0,
    /** Keys in the order in which each partition has them. */
    logs,
    all: (): string[] => logs.flat(),
  };
  const underWay = new Map<number | null, number>();

  const write = (batch: readonly PendingRecord[]): Map<number, number> => {
    const first = new Map<number, number>();
    for (const { partition, record } of batch) {
      const log = logs[partition]!;
      if (!first.has(partition)) first.set(partition, log.length);
      log.push(String(record.key));
    }
    return first;
  };

  const openLookup = (): Promise<LeaderLookup> => {
    cluster.lookups += 1;
    if (cluster.unreachable) return Promise.reject(cluster.unreachable);
    const before = cluster.died;
    return Promise.resolve({
      leaders: () => {
        const error = cluster.unreachable ?? (cluster.died === before ? null : cluster.died);
        return error ? Promise.reject(error) : Promise.resolve([...cluster.leaders]);
      },
      close: () => Promise.resolve(),
    });
  };
  const openSender = (): Promise<Sender> => {
    if (cluster.unreachable) return Promise.reject(cluster.unreachable);
    cluster.opened += 1;
    return Promise.resolve({
      send: async (batch, brokerTimeoutMs) => {
        if (!cluster.timeouts.includes(brokerTimeoutMs)) cluster.timeouts.push(brokerTimeoutMs);
        const leader = cluster.leaders[batch[0]!.partition] ?? null;
        const now = (underWay.get(leader) ?? 0) + 1;
        underWay.set(leader, now);
        cluster.most = Math.max(cluster.most, now);
        cluster.batches.push(batch.map(({ record }) => String(record.key)));
        try {
          await cluster.before(batch);
          const refused = batch.find(({ partition }) => cluster.refusing.has(partition));
          const failure = (refused && cluster.refusing.get(refused.partition)) ?? null;
          const first = write(batch.filter(({ partition }) => !cluster.refusing.has(partition)));
          if (failure && first.size === 0) throw failure;
          await cluster.after(batch);
          return { firstOffsets: first, failure };
        } finally {
          underWay.set(leader, (underWay.get(leader) ?? 1) - 1);
        }
      },
      close: () => Promise.resolve(void (cluster.closed += 1)),
    });
  };
  return { cluster, openLookup, openSender };
};
