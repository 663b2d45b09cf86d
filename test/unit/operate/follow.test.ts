import { expect, onTestFinished, test } from "vitest";
import type { Cluster } from "../../../src/kafka/cluster/cluster.ts";
import { follow } from "../../../src/operate/follow.ts";
import type { Tools } from "../../../src/operate/tools.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { silent } from "../../../src/runtime/log.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeKafka, TOPIC } from "../kafka/consume/fake-kafka.ts";

const followed = async (kafka: ReturnType<typeof fakeKafka>, healed: "whole" | "fromItsEnd") => {
  let asked = 0;
  const cluster = {
    find: () => Promise.resolve(new Set([TOPIC])),
    ranges: () => Promise.resolve((asked += 1)).then(kafka.topicRanges),
    close: () => Promise.resolve(),
  } as unknown as Cluster;
  const services = {
    newClient: () => kafka.client,
    connectCluster: () => Promise.resolve(cluster),
    ...{ clock: systemClock, log: silent, random: () => 0 },
  } as unknown as Tools;
  const keys: string[] = [];
  const take = ({ key }: { key: Buffer | null }) => void keys.push(String(key));
  const { stop } = await follow(services, { topic: TOPIC, fromBeginning: false, healed }, take);
  onTestFinished(stop);
  return { keys, asked: () => asked };
};

test.each([
  ["fromItsEnd", ["new", "other"]],
  ["whole", ["first", "new", "other", "second"]],
] as const)(
  "a partition without a leader is read %s once it has one",
  async (healed, expected) => {
    const kafka = fakeKafka(2);
    kafka.state.missing = [1];
    kafka.append(1, ["first", "second"]);
    const { keys, asked } = await followed(kafka, healed);
    kafka.append(0, ["other"]);
    await eventually(() => keys.includes("other"), "a record of the other partition");
    kafka.state.missing = [];
    const before = asked();
    await eventually(() => asked() > before, "the partition to be asked again", 5_000);
    kafka.append(1, ["new"]);
    await eventually(() => keys.includes("new"), "a record of the partition that has a leader again");
    expect(keys.sort()).toEqual(expected);
  },
  15_000,
);
