import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { sendAccepts } from "../support/accepts.ts";
import { startLoadBalancer } from "../support/load-balancer.ts";
import { TRUSTING } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { Replica } from "../support/replica.ts";
import { slowestOf, startWebhookLoad } from "../support/webhook-load.ts";
import { openTestWorld } from "../support/world.ts";

const REPLICAS = 3;
const CONNECTIONS = 4;
const ACCEPTS_AT_ONCE = 4;
const ACCEPTS_EVERY_MS = 200;
const PARTNER_MS = 500;
/** As in deploy/: proxies hear of a pod's end at the same time as the pod, which goes on serving until they have. */
const PRE_STOP_MS = 5_000;
const PROXIES_HEAR_AFTER_MS = 2_000;

/** Three replicas that are all in use, and the way Kubernetes replaces one. */
const openFleet = async () => {
  const world = await openTestWorld({
    settings: { FLOWS: "webhooks,commands" },
    sandboxArgs: TRUSTING,
  });
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "latency", ms: PARTNER_MS });
  const balancer = await startLoadBalancer();
  world.defer(balancer.close);
  const join = async (): Promise<Replica> => {
    const replica = await world.startReplica();
    balancer.add(replica);
    await eventually(() => balancer.isUsed(replica), `${replica.name} to be used`, 60_000);
    return replica;
  };
  const replace = async (old: Replica): Promise<{ code: number; drainMs: number }> => {
    await join();
    const heard = sleep(PROXIES_HEAR_AFTER_MS).then(() => balancer.remove(old));
    await sleep(PRE_STOP_MS);
    const from = Date.now();
    const code = await old.stop();
    await heard;
    return { code, drainMs: Date.now() - from };
  };
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, join));
  return { world, balancer, replicas, replace };
};

/** Accepts arrive steadily until the function that is given back is called. */
const sendSteadily = (send: (count: number) => Promise<void>): (() => Promise<void>) => {
  const stop = new AbortController();
  const sending = (async () => {
    while (!stop.signal.aborted) {
      await send(ACCEPTS_AT_ONCE);
      await sleep(ACCEPTS_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return () => {
    stop.abort();
    return sending;
  };
};

it("loses no webhook and doubts nothing while three replicas are replaced one by one under load", async () => {
  const { world, balancer, replicas, replace } = await openFleet();
  const accepts = await sendAccepts(world);
  const webhooks = startWebhookLoad(balancer.url, CONNECTIONS);
  const endAccepts = sendSteadily(accepts.send);
  world.defer(endAccepts);
  world.defer(webhooks.stop);
  await eventually(() => webhooks.answers.length > 100 && accepts.answered() > 20, "load", 60_000);

  const replaced: Awaited<ReturnType<typeof replace>>[] = [];
  for (const old of replicas) replaced.push(await replace(old));
  await endAccepts();
  const answers = await webhooks.stop();
  const account = await accepts.settle(60_000);
  const published = new Set((await world.read(world.topics.events)).map(({ headers }) => headers["ce_id"]));
  const doubts = [...accepts.results.values()].flat().filter(({ outcome }) => outcome === "IN_DOUBT");
  console.log({
    webhooks: answers.length,
    slowestWebhookMs: slowestOf(answers),
    accepts: account.sent,
    drainMs: replaced.map(({ drainMs }) => drainMs),
  });

  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(answers.filter(({ eventId }) => !published.has(eventId))).toEqual([]);
  expect(doubts).toEqual([]);
  expect(account).toMatchObject({ ...correctTally(account.sent), succeeded: account.sent, inDoubt: 0 });
  expect(replaced.map(({ code }) => code)).toEqual(replicas.map(() => 0));
});
