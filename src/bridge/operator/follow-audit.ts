import type { Config } from "../../config/config.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { partitionCountProblems } from "../../kafka/cluster/inspect.ts";
import { startTail } from "../../kafka/consume/tail.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Kit } from "../kit.ts";

/** The audit topic, followed while it is open. */
export type FollowedAudit = {
  /** Resolves when it is read up to this offset, itself included; rejects when that takes too long. */
  untilRead: (offset: number) => Promise<void>;
  /** Resolves when it is read up to where it ends now. */
  untilCurrent: () => Promise<void>;
  close: () => Promise<void>;
};

const READ_TIMEOUT_MS = 20_000;
const LOOK_EVERY_MS = 10;
/** The topic has one. */
export const AUDIT_PARTITION = 0;

export type Deps = { config: Config; kit: Kit; cluster: Cluster; signal: AbortSignal };

export type AuditHooks = {
  /** From when on entries are wanted; all of them without. */
  sinceMs?: () => number;
  /**
   * The topic is another one than before: what was taken of it is to be dropped. Whoever does not do so reads on where the former one ended, and
   * is not up to date before the other one is as long.
   */
  forget?: () => void;
  /** Takes each entry once, in their order. */
  take: (text: string, at: { offset: number; timestampMs: number }) => void;
};

/** Throws a UsageError when there is no audit topic, or one that does not say in which order and when its entries came. */
export const followAudit = async (
  { config, kit, cluster, signal }: Deps,
  { sinceMs, forget, take }: AuditHooks,
): Promise<FollowedAudit> => {
  const topic = config.topics.audit;
  const topics = await cluster.find([topic]);
  const [problem] = partitionCountProblems(config.topics, topics);
  if (problem !== undefined) throw new UsageError(problem);
  const found = topics.get(topic);
  if (!found) throw new UsageError(`Topic ${topic} does not exist: run \`cambio-bridge setup\`.`);
  if ((found.config["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime")
    throw new UsageError(
      `Topic ${topic} needs message.timestamp.type=LogAppendTime: its times tell which entries still count.`,
    );
  const { clock } = kit;
  let next = 0;
  let end = 0;
  /** A topic that is shorter than it was is another one. */
  const startOverIf = (endOffset: number): boolean => {
    if (!forget || endOffset >= next) return false;
    next = 0;
    forget();
    return true;
  };
  const tail = startTail(
    { topic, groupId: kit.ownGroup("audit"), sessionTimeoutMs: config.kafka.sessionTimeoutMs },
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
        // Kafka began at another place than it was asked to: whether it is still the same topic is seen at a new beginning.
        if (offset < next) return !forget;
        next = offset + 1;
        take(value?.toString("utf8") ?? "", { offset, timestampMs });
        return true;
      },
    },
    { ...kit, ranges: () => cluster.ranges(topic, sinceMs?.()) },
  );
  const until = (offset: () => number, stopped?: AbortSignal): Promise<void> =>
    clock.withDeadline(READ_TIMEOUT_MS, stopped, async (within) => {
      while (!tail.state().up || next <= offset()) await clock.sleep(LOOK_EVERY_MS, within);
    });
  const endNow = async (): Promise<number> => {
    const endOffset = (await cluster.ranges(topic)).get(AUDIT_PARTITION)?.endOffset ?? 0;
    if (startOverIf(endOffset)) tail.restart();
    return endOffset;
  };
  const close = (): Promise<void> => tail.stop();
  /** A year of entries may have to be read, which takes its time, but goes on. */
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
      // What was read already may have been of another topic.
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
