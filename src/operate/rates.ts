import { withCluster } from "../kafka/cluster/with-cluster.ts";
import type { Cluster } from "../kafka/cluster/cluster.ts";
import type { Tools } from "./tools.ts";

export type TopicRate = { kind: string; perMinute: readonly number[] };

const MINUTE_MS = 60_000;
/** A value for every so many minutes: each border costs a request. */
const STEP_MINUTES = 2;
const STEPS = 30;
const ANSWER_MS = 30_000;

/** From the offsets at the borders of minutes: no record is read. A partition that nobody leads now is left out. */
const rateOf = async (cluster: Cluster, topic: string, nowMs: number): Promise<number[]> => {
  const last = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const borders = Array.from(
    { length: STEPS + 1 },
    (_, index) => last - (STEPS - index) * STEP_MINUTES * MINUTE_MS,
  );
  const answers = await Promise.all(borders.map((border) => cluster.ranges(topic, border)));
  return answers.slice(1).map(({ ranges: later }, index) => {
    const earlier = answers[index]?.ranges;
    const more = Array.from(later, ([partition, { startOffset }]) =>
      // A topic that was created anew in between is shorter.
      Math.max(0, startOffset - (earlier?.get(partition)?.startOffset ?? startOffset)),
    );
    return more.reduce((sum, each) => sum + each, 0) / STEP_MINUTES;
  });
};

export const recordsPerMinute = (tools: Tools): Promise<readonly TopicRate[]> => {
  const { config, clock, stopped } = tools;
  const { transactionStatus, commands, results, deadLetters } = config.topics;
  const topics = { events: transactionStatus, commands, results, "dead letters": deadLetters };
  const reading = withCluster(tools, async (cluster) => {
    const existing = await cluster.find(Object.values(topics));
    const rates = Object.entries(topics)
      .filter(([, topic]) => existing.has(topic))
      .map(async ([kind, topic]) => ({ kind, perMinute: await rateOf(cluster, topic, clock.now()) }));
    return Promise.all(rates);
  });
  return clock.within(ANSWER_MS, stopped, reading);
};
