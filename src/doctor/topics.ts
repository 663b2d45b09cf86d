import type { Services } from "../services/services.ts";
import { inspectOptions } from "../bridge/prerequisites.ts";
import type { Config } from "../config/config.ts";
import { inspectTopics } from "../kafka/cluster/inspect.ts";
import { checkFromSentence, ok, type Bounds, type Check } from "./check.ts";
import { checkJournal } from "./journal.ts";
import { checkPartitions } from "./partitions.ts";
import { checkedTopics } from "./rights.ts";

const REMEDY = 'see "Topics" in docs/setup.md';

/** The detail for a topic that does not exist, or that this user may not see. */
export const MISSING = "does not exist";

/** A sentence about one topic begins with `Topic <name>`. */
const checkOf = (status: "warn" | "fail", sentence: string): Check => {
  const [, topic, said] = /^Topic (\S+) (.*)$/s.exec(sentence) ?? [];
  return topic === undefined || said === undefined
    ? checkFromSentence("topics", status, sentence, REMEDY)
    : checkFromSentence(`topic ${topic}`, status, said, REMEDY);
};

/** Checks that topics exist, with the settings that they need. */
export const checkTopics = async (
  config: Config,
  services: Services,
  { clock, signal }: Bounds,
): Promise<Check[]> => {
  const cluster = await clock.within(6_000, signal, services.connectCluster());
  try {
    const used = checkedTopics(config);
    const { problems, warnings } = await inspectTopics({ ...inspectOptions(config), used }, cluster);
    const found = await cluster.find(used.map((role) => config.topics[role]));
    const journal = found.get(config.topics.journal);
    const commands = found.get(config.topics.commands);
    const checks = [
      ...(journal && commands ? await checkJournal(config, services, cluster) : []),
      ...checkPartitions(found, await cluster.partitions([...found.keys()])),
      ...problems.map((sentence) => checkOf("fail", sentence)),
      ...warnings.map((sentence) => checkOf("warn", sentence)),
    ];
    return checks.length > 0 ? checks : [ok("topics", `all ${used.length} are there and as they must be`)];
  } finally {
    void cluster.close();
  }
};
