import type { Config } from "../../config/config.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { partitionCountProblems } from "../../kafka/cluster/inspect.ts";
import { startTail } from "../../kafka/consume/tail.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Services } from "../services.ts";
import { noSuchTopic } from "../with-cluster.ts";

/** The audit topic, which is followed until `close`. */
export type FollowedAudit = {
  /** Resolves when the record at this offset is read; rejects on timeout. */
  untilRead: (offset: number) => Promise<void>;
  /** Resolves when the topic is read to its present end. */
  untilCurrent: () => Promise<void>;
  close: () => Promise<void>;
};

const READ_TIMEOUT_MS = 20_000;
const CHECK_EVERY_MS = 10;
/** The topic has only this one. */
export const AUDIT_PARTITION = 0;

export type Deps = { config: Config; services: Services; cluster: Cluster; signal: AbortSignal };

export type AuditHooks = {
  /** The time (epoch milliseconds) to read from; without it, the whole topic is read. */
  sinceMs?: () => number;
  /**
   * The topic was deleted and created again: drop what was taken. Without this hook, reading goes on at the
   * former offset, and is not current before the new topic is as long.
   */
  forget?: () => void;
  /** Takes each entry once, in order. */
  take: (text: string, at: { offset: number; timestampMs: number }) => void;
};

/**
 * Throws a UsageError if the audit topic does not exist or does not order its entries: one partition,
 * LogAppendTime.
 */
export const followAudit = async (
  { config, services, cluster, signal }: Deps,
  { sinceMs, forget, take }: AuditHooks,
): Promise<FollowedAudit> => {
  const topic = config.topics.audit;
  const topics = await cluster.find([topic]);
  const [problem] = partitionCountProblems(config.topics, topics);
  if (problem !== undefined) throw new UsageError(problem);
  const found = topics.get(topic);
  if (!found) throw noSuchTopic(topic);
  if ((found.config["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime")
    throw new UsageError(
      `Topic ${topic} needs message.timestamp.type=LogAppendTime: its times tell which entries still count.`,
    );
  const { clock } = services;
  let next = 0;
  let end = 0;
  /** A topic that is shorter than before was deleted and created again. */
  const startOverIf = (endOffset: number): boolean => {
    if (!forget || endOffset >= next) return false;
    next = 0;
    forget();
    return true;
  };
  const tail = startTail(
    services.ownReader(topic, "audit"),
    {
      begin: (ranges) => {
        const { startOffset, endOffset } = ranges.get(AUDIT_PARTITION) ?? { startOffset: 0, endOffset: 0 };
        startOverIf(endOffset);
        next = Math.max(next, startOffset);
        end = endOffset;
      },
      position: () => next,
      take: ({ partition, offset, value, timestampMs }) => {
        if (partition !== AUDIT_PARTITION) return true;
        // An offset before the requested one: restarting the tail will show whether it is still the same
        // topic.
        if (offset < next) return !forget;
        next = offset + 1;
        take(value?.toString("utf8") ?? "", { offset, timestampMs });
        return true;
      },
      // Offsets without a record, such as the marker of a transaction.
      reached: (partition, offset) => {
        if (partition === AUDIT_PARTITION) next = Math.max(next, offset);
      },
    },
    { ...services, ranges: () => cluster.ranges(topic, sinceMs?.()) },
  );
  const until = (offset: () => number, stopped?: AbortSignal): Promise<void> =>
    clock.withDeadline(READ_TIMEOUT_MS, stopped, async (within) => {
      while (!tail.state().up || next <= offset()) await clock.sleep(CHECK_EVERY_MS, within);
    });
  const endNow = async (): Promise<number> => {
    const endOffset = (await cluster.ranges(topic)).get(AUDIT_PARTITION)?.endOffset ?? 0;
    if (startOverIf(endOffset)) tail.restart();
    return endOffset;
  };
  const close = (): Promise<void> => tail.stop();
  /** There may be a year of entries: waits on while there is progress. */
  const untilOpen = async (): Promise<void> => {
    const from = next;
    try {
      await until(() => end - 1, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (next > from) return untilOpen();
      const { up, detail } = tail.state();
      throw new Error(`topic ${topic} cannot be read: ${up ? "nothing comes" : detail}`, { cause: error });
    }
  };
  try {
    await untilOpen();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    untilRead: async (offset) => {
      // The offsets that were read may belong to a former topic of this name.
      if (offset < next) await endNow();
      await until(() => offset);
    },
    untilCurrent: async () => {
      const endOffset = await endNow();
      await until(() => endOffset - 1);
    },
    close,
  };
};
