import { expect, it } from "vitest";
import { quoteKey } from "../../src/commands-to-results/quote-key.ts";
import { newPartitioner } from "../../src/kafka/produce/partitioner.ts";
import { correctTally } from "../support/accept-tally.ts";
import { newAccepts, type Accept } from "../support/accepts.ts";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { followTopics } from "../support/follow-topics.ts";
import { reassign } from "../support/kafka.ts";
import { decodeResult } from "../support/result.ts";
import { onAllBrokers, threeBrokers } from "../support/three-brokers.ts";
import { p99 } from "../support/webhook-load.ts";

const BASELINE_MS = 20_000;
const FAULT_MS = 60_000;
const DEADLINE_MS = 10_000;
/** Many more accepts of the lame partition come than may be in flight at once (64). */
const EVERY_MS = 40;
const LAME = 0;

const kafka = threeBrokers();

type Timed = Accept & { at: number };

it.each(["journal", "results"] as const)(
  "executes the commands of the other partitions as before while one of the %s lacks replicas for a minute",
  async (name) => {
    const { world, replicas, accepts } = await commandsUnderFault({
      cluster: kafka.cluster(),
      settings: { ...onAllBrokers, COMMANDS_DEADLINE: `${DEADLINE_MS}ms` },
      replicas: 1,
    });
    const topic = world.topics[name];
    const answeredAt = new Map<string, number>();
    world.defer(
      await followTopics(world.brokers, [world.topics.results], (record) => {
        const { commandId } = decodeResult(record);
        if (!answeredAt.has(commandId)) answeredAt.set(commandId, Date.now());
      }),
    );
    const [first, second, third] = kafka.all();
    const ids = [first!.id, second!.id, third!.id];
    const view = () => topicAsSeenBy(first!.port, topic);
    const partitions = await view();
    const assign = (ofLame: number[]): Promise<unknown> =>
      reassign(
        world.brokers,
        topic,
        partitions.map((_, partition) => (partition === LAME ? ofLame : ids)),
      );
    const partitionOf = newPartitioner();
    const isLame = ({ commandId, quoteId }: Accept): boolean =>
      partitionOf(Buffer.from(name === "journal" ? quoteKey(quoteId) : commandId), partitions.length) ===
      LAME;

    let unready = 0;
    const sendFor = async (ms: number): Promise<Timed[]> => {
      const sent: Timed[] = [];
      const until = Date.now() + ms;
      while (Date.now() < until) {
        const [accept] = newAccepts(1);
        sent.push({ ...accept!, at: Date.now() });
        await accepts.submit([accept!]);
        if (sent.length % 10 === 0 && !(await replicas[0]!.isReady())) unready += 1;
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      }
      return sent.filter((each) => !isLame(each));
    };
    const p99Of = async (sent: readonly Timed[]): Promise<number> => {
      await eventually(() => sent.every(({ commandId }) => answeredAt.has(commandId)), "answers", 10_000);
      return p99(sent.map(({ commandId, at }) => answeredAt.get(commandId)! - at));
    };

    await sendFor(5_000);
    const baseline = await sendFor(BASELINE_MS);
    const before = await p99Of(baseline);
    await assign([ids[0]!]);
    await eventually(
      async () => (await view())[LAME]?.inSync.length === 1,
      "the partition to lack replicas",
      30_000,
    );
    const others = await sendFor(FAULT_MS);
    const meanwhile = await p99Of(others);
    await assign(ids);
    const tally = await accepts.settle(60_000);
    console.log(
      `${name}: ${others.length} others, p99 ${meanwhile} ms (before: ${baseline.length}, ${before} ms); unready ${unready} times; ${JSON.stringify(tally)}`,
    );
    expect(unready).toBe(0);
    expect(meanwhile).toBeLessThanOrEqual(1.5 * before);
    expect(tally).toMatchObject(correctTally(accepts.sent()));
  },
  240_000,
);
