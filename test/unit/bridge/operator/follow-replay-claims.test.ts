import { expect, test } from "vitest";
import type { Services } from "../../../../src/bridge/services.ts";
import { followReplayClaims } from "../../../../src/bridge/operator/follow-replay-claims.ts";
import { silent } from "../../../../src/cli/silent.ts";
import type { Config } from "../../../../src/config/config.ts";
import type { Cluster, FoundTopic } from "../../../../src/kafka/cluster/cluster.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { ownReader } from "../../kafka/consume/fake-kafka.ts";

const config = { topics: { audit: "audit" } } as unknown as Config;

/** An audit topic that is there, and of which nothing can be read. */
const open = (partitions: number, { clock = systemClock, signal = new AbortController().signal } = {}) => {
  const topic: FoundTopic = { name: "audit", partitions, replicationFactor: 3, config: {} };
  const cluster = {
    find: () => Promise.resolve(new Map([["audit", topic]])),
    ranges: () => Promise.reject(new Error("not authorized")),
  } as unknown as Cluster;
  const services = { clock, log: silent, ownReader } as unknown as Services;
  return followReplayClaims({ config, services, cluster, signal });
};

test("an audit topic with several partitions has no order, and is refused", async () => {
  await expect(open(3)).rejects.toThrow("Topic audit has 3 partitions");
});

test("whoever is asked to end waits no longer for what cannot be read", async () => {
  const stopped = new AbortController();
  const opening = open(1, { signal: stopped.signal });
  stopped.abort(new Error("received SIGINT"));
  await expect(opening).rejects.toThrow("received SIGINT");
});

test("where nothing comes it is given up soon, and says why", async () => {
  const clock = {
    ...systemClock,
    withDeadline: (
      _: number,
      signal: AbortSignal | undefined,
      work: (within: AbortSignal) => Promise<unknown>,
    ) => systemClock.withDeadline(100, signal, work),
  } as typeof systemClock;
  await expect(open(1, { clock })).rejects.toThrow("topic audit cannot be read: not authorized");
});
