import { electionGroup, lastNote } from "../log-to-events/wire/note.ts";
import { askPartnerStates } from "../kafka/wire/partner-note.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import type { Cluster } from "../kafka/cluster/cluster.ts";
import { unreadableIn } from "../kafka/consume/read-assigned.ts";
import type { Tools } from "./tools.ts";
import { recordsIn } from "./read-topic.ts";

const DAY_MS = 86_400_000;
const ANSWER_MS = 30_000;

/** `unread`: partitions without a leader that answers. `unreadable`: batches that replicas say they stand at. */
const lagOf = async (cluster: Cluster, groupId: string, topic: string) => {
  const committed = await cluster.committed(groupId, topic);
  const { ranges, missing } = await cluster.ranges(topic);
  const partitions = [...ranges]
    .map(([partition, { startOffset, endOffset: end }]) => {
      const offset = committed.get(partition)?.offset ?? null;
      // Without a committed offset, or if it was deleted, the group starts at the first record.
      const lag = Math.max(0, end - Math.max(offset ?? 0, startOffset));
      return { partition, committed: offset, end, lag };
    })
    .sort((a, b) => a.partition - b.partition);
  const unreadable = [...committed].flatMap(([partition, commit]) => {
    const offset = unreadableIn(commit);
    return offset === null ? [] : [{ partition, offset }];
  });
  return { partitions, unread: [...missing], unreadable };
};

const ask = async (config: Tools["config"], cluster: Cluster, nowMs: number) => {
  const { commands: topic, transactionStatus, deadLetters } = config.topics;
  const { groupId } = config.kafka;
  // Without a flow its topics need not be there.
  const topics = await cluster.find([topic, transactionStatus, deadLetters]);
  const hasCommands = topics.has(topic);
  const places = hasCommands
    ? await lagOf(cluster, groupId, topic)
    : { partitions: [], unread: [], unreadable: [] };
  const lag = places.partitions.reduce((sum, each) => sum + each.lag, 0);
  const commands = await cluster.group(groupId);
  const hasOwner = (partition: number): boolean =>
    commands.members.some(({ partitions }) => partitions[topic]?.includes(partition));
  // While the group settles, nobody has partitions, and soon somebody will.
  const unowned =
    commands.state === "Stable"
      ? places.partitions.map(({ partition }) => partition).filter((partition) => !hasOwner(partition))
      : [];
  const election = electionGroup(config);
  const reconcile = await cluster.group(election);
  const elected = reconcile.members.find(({ partitions }) => partitions[transactionStatus]?.includes(0));
  const leader = elected ? { clientId: elected.clientId, host: elected.host } : null;
  const lastCompleteAtMs = topics.has(transactionStatus)
    ? (await lastNote(config, cluster)).completeAtMs
    : null;
  const letters = async (sinceMs?: number): Promise<number> =>
    recordsIn((await cluster.ranges(deadLetters, sinceMs)).ranges);
  return {
    /** `unowned`: partitions that no replica has; all of them where nobody takes commands. */
    commands: { group: groupId, ...commands, lag, ...places, unowned },
    /** `leader`: the replica that reconciles; null for none. `lastCompleteAtMs`: null where no such run is known. */
    reconcile: { group: election, ...reconcile, leader, lastCompleteAtMs },
    /** Records, in all and of the last day: a large letter may have several. Null where there is no such topic. */
    deadLetters: topics.has(deadLetters)
      ? { records: await letters(), lastDay: await letters(nowMs - DAY_MS) }
      : null,
    partner: hasCommands ? await askPartnerStates(cluster, groupId, topic) : [],
  };
};

export type Status = Awaited<ReturnType<typeof ask>>;

export const readStatus = (tools: Tools): Promise<Status> => {
  const { config, clock, stopped } = tools;
  const reading = withCluster(tools, (cluster) => ask(config, cluster, clock.now()));
  return clock.within(ANSWER_MS, stopped, reading);
};
