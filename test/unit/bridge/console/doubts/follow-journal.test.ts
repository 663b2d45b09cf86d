import { expect, onTestFinished, test } from "vitest";
import { followJournal } from "../../../../../src/bridge/console/doubts/follow-journal.ts";
import type { Services } from "../../../../../src/bridge/services.ts";
import { silent } from "../../../../../src/cli/silent.ts";
import type { Config } from "../../../../../src/config/config.ts";
import { systemClock } from "../../../../../src/runtime/clock.ts";
import { eventually } from "../../../../support/eventually.ts";
import { fakeKafka, ownReader, TOPIC } from "../../../kafka/consume/fake-kafka.ts";

const config = { topics: { journal: TOPIC } } as unknown as Config;

const open = async () => {
  const kafka = fakeKafka(1);
  const cluster = await kafka.connectCluster();
  const registry = { isAway: false };
  const state = { clients: 0 };
  const services = {
    ...{ clock: systemClock, log: silent, random: () => 0, ownReader },
    // Each has a consumer of its own, of the same logs.
    newClient: () => ((state.clients += 1), fakeKafka(1, kafka).client),
    registry: {
      writer: () =>
        registry.isAway
          ? Promise.reject(new Error("the registry is away"))
          : Promise.resolve({ kind: null, text: '"string"', references: [] }),
    },
  } as unknown as Services;
  kafka.append(0, ["a", "b"], "no entry");
  const follower = followJournal(config, services, {
    ranges: () => cluster.ranges(TOPIC),
    changed: () => undefined,
  });
  onTestFinished(follower.close);
  const progress = () => follower.doubts().progress;
  const until = (holds: () => void, what: string) => eventually(holds, what);
  await until(() => expect(progress()).toMatchObject({ isComplete: true, read: 2 }), "all to be read");
  return { kafka, registry, state, follower, progress, until, cluster };
};

test("a record whose schema cannot be fetched is a problem until it is read, and the group is not joined again at once", async () => {
  const { kafka, registry, state, progress, until } = await open();
  kafka.append(0, ["c"], "no entry");
  await until(() => expect(progress().problem).toContain("3 records"), "the end to be followed");
  registry.isAway = true;
  const before = state.clients;
  kafka.append(0, ["d"], "\u0000\u0000\u0000\u0000\u0007x");
  await until(() => expect(progress().problem).toContain("away"), "the problem to be told of");
  expect(progress().problem).toContain("A record of the journal cannot be read now: ");
  await systemClock.sleep(1_500);
  expect(progress().problem).toContain("away");
  expect(state.clients - before).toBeLessThan(3);
  registry.isAway = false;
  await until(() => {
    expect(progress().problem).not.toContain("away");
    expect(progress().problem).toContain("4 records");
  }, "the record to be read");
});

test("a replaced journal is a problem that lasts", async () => {
  const { kafka, follower, progress, until, cluster } = await open();
  kafka.replace(0);
  const ranges = await cluster.ranges(TOPIC);
  for (let looks = 0; looks < 4; looks++) follower.updateRanges(ranges);
  await until(() => expect(progress().problem).toContain("was replaced at"), "the other one to be told of");
  kafka.append(0, ["c", "d", "e"], "no entry");
  await until(() => expect(progress().problem).toContain("3 records"), "the other one to be read");
  expect(progress().problem).toContain("doubts of the former one are not known here.");
});

test("a journal that a broker reported too short for a while is the same", async () => {
  const { kafka, follower, progress, until, cluster } = await open();
  const mend = kafka.cutAt(0, 1);
  const ranges = await cluster.ranges(TOPIC);
  for (let looks = 0; looks < 4; looks++) follower.updateRanges(ranges);
  await until(() => expect(progress().problem).toContain("was replaced at"), "the doubt of it");
  mend();
  await until(() => expect(progress().problem).not.toContain("another one"), "it to be known again");
});
