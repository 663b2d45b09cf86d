import { expect, it } from "vitest";
import { threeBrokers, type Broker } from "../support/three-brokers.ts";
import { SLOWEST_MS, webhooksUnderFault } from "../support/webhooks-under-fault.ts";

/** The cluster takes 3 s to give up on a broker; full service is promised 10 s after that. */
const WHOLE_WITHIN_MS = 13_000;

const kafka = threeBrokers();

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
      for (const each of kafka.all()) {
        await each.stop();
        await each.start();
      }
    },
    mend: () => undefined,
  },
];

it.each(faults)("answers 2xx only for events that are there, with a broker $name", async (fault) => {
  const { world, untilWhole, settle } = await webhooksUnderFault(kafka);
  const leader = await kafka.leaderOf(world.topics.events);

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
