import { troubleText, type Lack, type PartitionTrouble } from "../../runtime/health.ts";
import type { Log } from "../../runtime/log.ts";

type Trouble = {
  lack: Lack;
  /** When it began, and when it was last seen, in monotonic milliseconds. */
  since: number;
  seenAt: number;
  isApart: boolean;
};

/** A new leader is mostly found sooner: until then records wait. */
const PATIENCE_MS = 2_000;
/** A trouble that no record meets is forgotten after this. */
const HOLDS_MS = 2_000;

export const createTroubles = (topic: string, log: Log) => {
  const byPartition = new Map<number, Trouble>();
  let probed: ReadonlySet<number> = new Set();

  const isStuck = (partition: number, now: number): boolean => {
    const trouble = byPartition.get(partition);
    return trouble !== undefined && trouble.isApart && now - trouble.since > PATIENCE_MS;
  };
  const end = (partition: number): void => {
    if (byPartition.delete(partition) && byPartition.size === 0) log.info({ topic }, "kafka.publisher.up");
  };

  return {
    get size(): number {
      return byPartition.size;
    },
    /** @param sighting.isApart the partition itself is in trouble, and not its leader's connection */
    begin: (partition: number, sighting: { lack: Lack; now: number; isApart: boolean }): void => {
      const { lack, now } = sighting;
      if (byPartition.size === 0)
        log.warn({ topic, partition, reason: troubleText({ partition, ...lack }) }, "kafka.publisher.down");
      const { since = now, isApart = false } = byPartition.get(partition) ?? {};
      byPartition.set(partition, { lack, since, seenAt: now, isApart: isApart || sighting.isApart });
    },
    end,
    isApart: (partition: number): boolean => byPartition.get(partition)?.isApart ?? false,
    /** Whether its trouble has lasted so long that one waiting record is enough to notice the end of it. */
    isStuck,
    /** Whether the partition is stuck, and one record already waits for it: then others are refused. */
    isRefusing: (partition: number, now: number): boolean => isStuck(partition, now) && probed.has(partition),
    of: (partition: number): PartitionTrouble | null => {
      const trouble = byPartition.get(partition);
      return trouble ? { partition, ...trouble.lack } : null;
    },
    all: (): PartitionTrouble[] => [...byPartition].map(([partition, { lack }]) => ({ partition, ...lack })),
    /** Forgets the troubles that no record has met for a while. A record waits for each partition of `waiting`. */
    sweep: (now: number, waiting: ReadonlySet<number>): void => {
      probed = waiting;
      for (const [partition, { seenAt }] of byPartition)
        if (now - seenAt > HOLDS_MS && !waiting.has(partition)) end(partition);
    },
  };
};

export type Troubles = ReturnType<typeof createTroubles>;
