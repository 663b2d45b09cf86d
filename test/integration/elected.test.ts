import { describe, expect, inject, it, onTestFinished } from "vitest";
import { elected, type Elected, type Leadership } from "../../src/kafka/consume/elected.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin, createTopic } from "../support/kafka.ts";
import { produce } from "../support/produce.ts";
import { readerDeps } from "../support/reader-deps.ts";
import { isUp } from "../../src/runtime/health.ts";

const SESSION_MS = 6_000;
const brokers = inject("kafkaBrokers");
const deps = readerDeps(brokers);

/** A topic and a group of their own, whose candidates write down when they began and ended. */
const election = async (partitions: number) => {
  const topic = await createTopic(brokers, partitions);
  /** Who works now. */
  const working = new Set<string>();
  const workUntilTold = (name: string) => (held: Leadership) =>
    new Promise<void>((resolve) => {
      working.add(name);
      held.signal.addEventListener(
        "abort",
        () => {
          working.delete(name);
          resolve();
        },
        { once: true },
      );
    });
  let fetches = 0;
  const join = (name: string, work = workUntilTold(name)): Elected => {
    const countingClient: typeof deps.newClient = () => {
      const client = deps.newClient();
      const makeConsumer = client.consumer.bind(client);
      client.consumer = (options) => {
        const consumer = makeConsumer(options);
        consumer.on(consumer.events.REQUEST, ({ payload }) => {
          if (payload.apiName === "Fetch") fetches += 1;
        });
        return consumer;
      };
      return client;
    };
    const candidate = elected({ topic, groupId: topic, sessionTimeoutMs: SESSION_MS }, work, {
      ...deps,
      newClient: countingClient,
    });
    onTestFinished(candidate.stop);
    return candidate;
  };
  /** During a rebalance two may lead for a moment, as `elected` says: the new one has heard of it, the old one not yet. */
  const untilOne = (of: ReadonlyMap<string, Elected>, withinMs = 30_000): Promise<string> =>
    eventually(
      () => {
        const [chosen, ...others] = [...of].filter(([, { isLeader }]) => isLeader()).map(([name]) => name);
        return (
          chosen !== undefined && others.length === 0 && working.size === 1 && working.has(chosen) && chosen
        );
      },
      `exactly one of ${[...of.keys()].join(", ")} to lead, and to work`,
      withinMs,
    );
  const untilJoined = (...all: Elected[]): Promise<unknown> =>
    eventually(() => all.every(({ health }) => isUp(health())), "all to be members", 30_000);
  return { topic, join, working, untilOne, untilJoined, fetches: () => fetches };
};

describe.each([1, 6])("with %i partitions", (partitions) => {
  it("chooses one of three, and another one as soon as that one leaves", async () => {
    const { topic, join, working, untilOne, untilJoined, fetches } = await election(partitions);
    await produce(brokers, topic, [{ key: "a", value: "never read" }]);
    const members = new Map([
      ["a", join("a")],
      ["b", join("b")],
    ]);
    await untilJoined(...members.values());
    await untilOne(members);
    const third = join("c");
    members.set("c", third);
    await untilJoined(third);
    for (let left = 3; left > 0; left -= 1) {
      const chosen = await untilOne(members, 2 * SESSION_MS);
      await members.get(chosen)?.stop();
      expect([members.get(chosen)?.isLeader(), working.has(chosen)]).toEqual([false, false]);
      members.delete(chosen);
    }
    expect(fetches()).toBe(0);

    const [offsets] = await askAdmin(brokers, (admin) =>
      admin.fetchOffsets({ groupId: topic, topics: [topic] }),
    );
    expect(offsets?.partitions.every(({ offset }) => offset === "-1")).toBe(true);
    // Nobody is left in it, and it keeps nothing: Kafka forgets it by itself.
    await eventually(
      async () => {
        const { groups } = await askAdmin(brokers, (admin) => admin.describeGroups([topic]));
        expect(groups.map(({ state, members: left }) => [state, left.length])).toEqual([["Empty", 0]]);
      },
      "the group to be empty",
      30_000,
    );
  }, 120_000);
});
