import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { leaderOf } from "../support/topic.ts";
import {
  brokerOf,
  SLOWEST_MS,
  webhooksUnderFault,
  type WebhooksUnderFault,
} from "../support/webhooks-under-fault.ts";

/** The cluster takes 3 s to give up on a broker; full service is promised 10 s after that. */
const WHOLE_WITHIN_MS = 13_000;

let kafka: KafkaCluster;
let running: WebhooksUnderFault | undefined;

beforeAll(async () => {
  kafka = await startKafka({ brokers: 3 });
}, 90_000);
afterAll(() => kafka.stop());
afterEach(async () => {
  for (const each of kafka.brokers) each.resume();
  await running?.close();
});

type Broker = ReturnType<typeof brokerOf>;

const faults: {
  name: string;
  break: (leader: Broker) => unknown;
  mend: (leader: Broker) => unknown;
}[] = [
  { name: "killed", break: (leader) => leader.kill(), mend: (leader) => leader.start() },
  { name: "frozen", break: (leader) => leader.freeze(), mend: (leader) => leader.resume() },
  {
    name: "stopped in order, one after the other",
    break: async () => {
      for (const each of kafka.brokers) {
        await each.stop();
        await each.start();
      }
    },
    mend: () => undefined,
  },
];

it.each(faults)("answers 2xx only for events that are there, with a broker $name", async (fault) => {
  running = await webhooksUnderFault(kafka);
  const { world, untilWhole, settle } = running;
  const leader = brokerOf(kafka, await leaderOf(kafka.bootstrapServers, world.topics.events, 0));

  await fault.break(leader);
  const wholeAfterMs = await untilWhole(Date.now());
  await fault.mend(leader);
  await untilWhole(Date.now());
  const account = await settle();

  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  expect(wholeAfterMs).toBeLessThan(WHOLE_WITHIN_MS);
  expect(account.slowestMs).toBeLessThan(SLOWEST_MS);
  console.log(`${fault.name}: ${JSON.stringify(account)}, whole again after ${wholeAfterMs} ms`);
});
