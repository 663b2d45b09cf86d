import { describe, expect, onTestFinished, test } from "vitest";
import { followEvents, topicProgress } from "../../../../src/notification/wire/follow-events.ts";
import { encoder } from "../../../../src/kafka/schema/codec.ts";
import { readSchema } from "../../../../src/kafka/schema/schemas.ts";
import { eventIdentity } from "../../../../src/notification/event-window.ts";
import { NO_FACTS } from "../../../../src/notification/transaction-facts.ts";
import { translate } from "../../../../src/notification/translate.ts";
import type { Services } from "../../../../src/kafka/wire/services.ts";
import { silent } from "../../../../src/runtime/log.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeKafka, TOPIC } from "../../kafka/consume/fake-kafka.ts";

const SCHEMA_ID = 1;
const follow = async (kafka: ReturnType<typeof fakeKafka>) => {
  const services = {
    ...{ clock: systemClock, log: silent, random: () => 0 },
    connectCluster: kafka.connectCluster,
    newClient: () => kafka.client,
    config: { topics: { transactionStatus: TOPIC }, webhook: { dedupWindowMs: 7_200_000 } },
  } as unknown as Services;
  const followed = await followEvents(services, SCHEMA_ID);
  onTestFinished(followed.close);
  await eventually(() => followed.health().kind === "up", "the topic to be read");
  return followed;
};

test("an events topic that ends with the marker of a transaction is read to its end", async () => {
  const kafka = fakeKafka(2);
  kafka.append(0, ["a"], "no event");
  kafka.skipOffset(0);
  kafka.append(1, ["b"], "no event");
  await follow(kafka);
});

test("partitions that are added while it follows are followed, too", async () => {
  const kafka = fakeKafka(1);
  const { window, health } = await follow(kafka);
  const notification = { transactionId: "tx", status: "CANCELED", createdAt: "", payload: "{}" };
  const context = {
    receivedAt: 0,
    source: "WEBHOOK",
    facts: NO_FACTS,
    mask: String,
    eventFields: [],
  } as const;
  const event = translate(notification, context);
  const value = encoder(readSchema("transaction-status-updated"), SCHEMA_ID)(event);
  const timestamp = String(systemClock.now());
  kafka.state.leaders.push(1);
  kafka.logs.push({ start: 0, end: 1, records: [{ offset: 0, timestamp, key: null, value }] });
  const isSeen = (): boolean => window.has(eventIdentity(event), systemClock.now());
  await eventually(isSeen, "the event of another replica in the new partition");
  await eventually(() => health().kind === "up", "the topic to be read");
});

const range = (startOffset: number, endOffset: number) => new Map([[0, { startOffset, endOffset }]]);
const at = (offset: number) => ({ partition: 0, offset });
/** Records known from the start of a range on. */
const begun = (startOffset: number, endOffset: number) => {
  const progress = topicProgress();
  progress.begin(range(startOffset, endOffset), 1);
  return progress;
};

describe("what is known of a partition", () => {
  test("reaches as far as was read", () => {
    const progress = begun(5, 7);
    progress.recordRead(at(5));
    expect([progress.positions().get(0), progress.unread(range(5, 7)).size]).toEqual([6, 1]);
    progress.recordRead(at(6));
    expect([progress.positions().get(0), progress.unread(range(5, 7)).size]).toEqual([7, 0]);
  });

  test("reaches the end also when the last record before it is an own one, which is never read", () => {
    const progress = begun(5, 6);
    expect(progress.unread(range(5, 6)).size).toBe(1);
    progress.recordWritten(at(5));
    expect([progress.positions().get(0), progress.unread(range(5, 6)).size]).toEqual([6, 0]);
  });

  test("reaches the end of what is empty", () => {
    expect(begun(5, 5).unread(range(5, 5)).size).toBe(0);
  });

  test("does not pass what others have written, however far the own records are", () => {
    const progress = begun(0, 0);
    for (const offset of [0, 2, 3]) progress.recordWritten(at(offset));
    expect(progress.unread(range(0, 4))).toEqual(new Map([[0, 1]]));
    progress.recordRead(at(1));
    expect(progress.unread(range(0, 4))).toEqual(new Map());
    expect(progress.positions()).toEqual(new Map([[0, 4]]));
  });

  test("keeps any number of own records that follow one another while nothing is read", () => {
    const progress = begun(0, 0);
    const end = 250_000;
    for (let offset = 1; offset < end; offset++) progress.recordWritten(at(offset));
    progress.recordRead(at(0));
    expect(progress.unread(range(0, end))).toEqual(new Map());
  });

  test("has own records read back that others have written between, and none behind the last of those", () => {
    const progress = begun(0, 0);
    for (const offset of [1, 2, 4, 5, 6]) progress.recordWritten(at(offset));
    progress.recordRead(at(0));
    expect(progress.unread(range(0, 7))).toEqual(new Map([[0, 1]]));
    for (const offset of [1, 2, 3]) progress.recordRead(at(offset));
    expect(progress.unread(range(0, 7))).toEqual(new Map());
    progress.recordWritten(at(7));
    expect(progress.positions()).toEqual(new Map([[0, 8]]));
  });

  test("keeps nothing of before when reading begins anew", () => {
    const progress = begun(0, 0);
    progress.recordWritten(at(0));
    progress.recordWritten(at(2));
    progress.begin(range(0, 3), 1);
    expect(progress.unread(range(0, 3))).toEqual(new Map([[0, 0]]));
  });

  test("does not keep partitions that another topic of this name has not", () => {
    const progress = topicProgress();
    const fewer = range(0, 3);
    progress.begin(new Map([...fewer, [1, { startOffset: 0, endOffset: 5 }]]), 2);
    progress.recordWritten({ partition: 1, offset: 0 });
    progress.begin(fewer, 1);
    expect(progress.positions()).toEqual(new Map([[0, 0]]));
  });
});
