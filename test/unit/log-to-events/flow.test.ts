import { expect, test } from "vitest";
import { answer, at, NOW_MS, openLog, type Sent } from "./world.ts";

const sent = (n: number, hoursAgo: number, status = "CANCELED"): Sent => ({
  transactionId: `tx-${n}`,
  status,
  createdAt: at(hoursAgo),
});
const COMPLETE = { result: "complete", isWhole: true, unreadable: 0, reasons: [] };

test("what is missing is published once, from the log, and a second run finds nothing", async () => {
  const { log, topic, publishedBefore, run } = openLog();
  for (let n = 0; n < 10; n++) log.push(sent(n, 5));
  for (const each of log.slice(0, 7)) publishedBefore(each);
  expect(await run()).toEqual({ ...COMPLETE, entries: 10, known: 7, published: 3, tooYoung: 0 });
  const added = topic.slice(7);
  expect(new Set(added.map(({ transactionId }) => transactionId))).toEqual(new Set(["tx-7", "tx-8", "tx-9"]));
  for (const event of added) {
    expect(event).toMatchObject({ source: "NOTIFICATION_LOG", receivedAt: NOW_MS, status: "CANCELED" });
    expect(event.payload).toBe(
      JSON.stringify(log.find(({ transactionId }) => transactionId === event.transactionId)),
    );
  }
  expect(await run()).toEqual({ ...COMPLETE, entries: 10, known: 10, published: 0, tooYoung: 0 });
  expect(topic).toHaveLength(10);
});

test("attempts of one notification are one, and another spelling of its instant is known", async () => {
  const { log, topic, publishedBefore, run } = openLog();
  const known = sent(1, 5);
  publishedBefore(known);
  log.push({ ...known, createdAt: "2026-11-21T04:00:00.000-03:00" }, known, known, sent(2, 5), sent(2, 5));
  expect(await run()).toEqual({ ...COMPLETE, entries: 5, known: 1, published: 1, tooYoung: 0 });
  expect(topic).toHaveLength(2);
});

test("without a createdAt, transaction and status tell whether it is known; otherwise it is published, whatever its age", async () => {
  const { log, topic, publishedBefore, run } = openLog();
  publishedBefore(sent(1, 1));
  log.push({ transactionId: "tx-1", status: "CANCELED" }, { transactionId: "tx-1", status: "REFUNDED" });
  expect(await run()).toMatchObject({ result: "complete", known: 1, published: 1 });
  expect(topic[1]).toMatchObject({ status: "REFUNDED", createdAt: "", occurredAt: null });
  expect(await run()).toMatchObject({ known: 2, published: 0 });
});

test("what is too young is left to its webhook, unless it is known", async () => {
  const { log, topic, publishedBefore, run } = openLog();
  log.push(sent(1, 0.1), sent(2, 0.1), sent(3, 0.2));
  publishedBefore(sent(1, 0.1));
  expect(await run()).toEqual({ ...COMPLETE, entries: 3, known: 1, published: 1, tooYoung: 1 });
  expect(topic.map(({ transactionId }) => transactionId)).toEqual(["tx-1", "tx-3"]);
});

test("what lies outside of the window is none of the run's", async () => {
  const { log, run } = openLog();
  log.push(sent(1, 27), sent(2, -1), sent(3, 25));
  expect(await run()).toEqual({ ...COMPLETE, entries: 1, known: 0, published: 1, tooYoung: 0 });
});

test("the statuses of a transaction are published in their order; direction and outOfOrder come from the topic as well", async () => {
  const { log, topic, publishedBefore, run } = openLog();
  publishedBefore(sent(1, 5, "AWAITING_MONEY_ORDER"));
  publishedBefore(sent(1, 3, "REGISTERED_TRANSACTION"));
  log.push(
    sent(1, 2, "TRANSACTION_COMPLETED"),
    sent(1, 4, "CONTRACT_IN_PROGRESS"),
    sent(1, 5, "AWAITING_MONEY_ORDER"),
  );
  await run();
  expect(topic.slice(2)).toMatchObject([
    { status: "CONTRACT_IN_PROGRESS", direction: "INBOUND", outOfOrder: true },
    { status: "TRANSACTION_COMPLETED", direction: "INBOUND", outOfOrder: false },
  ]);
});

test.each([
  ["with one instant", () => at(5)],
  ["with local times", (n: number) => `2026-11-21T0${n}:00:00`],
  ["without a time", () => ""],
])(
  "statuses %s are published in their order from a log that shows the newest first",
  async (_, createdAt) => {
    const { log, topic, run } = openLog();
    const statuses = ["AWAITING_PAYMENT", "PAYMENT_CONFIRMED", "SETTLEMENT_IN_PROGRESS"];
    log.push(...statuses.map((status, n) => ({ transactionId: "tx-1", status, createdAt: createdAt(n) })));
    log.unshift(sent(2, 7), sent(3, 6));
    log.reverse();
    expect(await run()).toMatchObject({ result: "complete", published: 5 });
    expect(topic.filter(({ transactionId }) => transactionId === "tx-1").map(({ status }) => status)).toEqual(
      statuses,
    );
  },
);

test("a dry run says what is missing, and publishes nothing", async () => {
  const { log, topic, run } = openLog();
  log.push(sent(1, 5), sent(2, 5));
  expect(await run({ dryRun: true })).toEqual({
    ...COMPLETE,
    entries: 2,
    known: 0,
    published: 2,
    tooYoung: 0,
  });
  expect(topic).toHaveLength(0);
});

test("twenty of which none is known, although events of that time are, are suspicious; less, or an empty topic, are an outage", async () => {
  const world = () => {
    const open = openLog();
    for (let n = 0; n < 20; n++) open.log.push(sent(n, 5));
    return open;
  };
  const suspicious = world();
  suspicious.publishedBefore(sent(100, 5));
  expect(await suspicious.run()).toMatchObject({ result: "suspicious", published: 0 });
  expect(await suspicious.run({ dryRun: true })).toMatchObject({ result: "suspicious", published: 0 });
  expect(suspicious.topic).toHaveLength(1);
  expect(await suspicious.run({ force: true })).toMatchObject({ result: "complete", published: 20 });

  const empty = world();
  expect(await empty.run()).toMatchObject({ result: "complete", published: 20 });

  const few = world();
  few.log.pop();
  few.publishedBefore(sent(100, 5));
  expect(await few.run()).toMatchObject({ result: "complete", published: 19 });

  const ofAnotherTime = world();
  ofAnotherTime.publishedBefore(sent(100, 30));
  expect(await ofAnotherTime.run()).toMatchObject({ result: "complete", published: 20 });
});

test("a hint that there is more makes it ask for single days, and what they show is complete", async () => {
  const { log, topic, queries, state, run } = openLog();
  for (let n = 0; n < 30; n++) log.push(sent(n, 1 + n / 2));
  state.answer = ({ startDate, endDate }) => {
    const shown = log.filter(({ createdAt = "" }) => {
      const day = createdAt.slice(0, 10);
      return day >= startDate && day <= endDate;
    });
    const isDay = Date.parse(endDate) - Date.parse(startDate) <= 86_400_000;
    return answer({ data: isDay ? shown : shown.slice(0, 10), hasMore: !isDay });
  };
  expect(await run()).toMatchObject({ result: "complete", published: 30, reasons: [] });
  expect(topic).toHaveLength(30);
  expect(queries.every(({ eventType }) => eventType === "TRANSACTION_STATUS_UPDATED")).toBe(true);
});

test.each([
  ["null", "null", "incomplete"],
  ["an empty body", "", "incomplete"],
  ["an object without an array", "{}", "incomplete"],
  ["an empty array", "[]", "complete"],
])("%s is read", async (_, body, result) => {
  const { state, run } = openLog();
  state.answer = () => answer(body);
  expect(await run()).toMatchObject({ result, entries: 0, published: 0 });
});

const deep = `${"[".repeat(1_000)}1${"]".repeat(1_000)}`;

test.each<[string, string | Buffer]>([
  ["HTML", "<html><body>Sign in</body></html>"],
  ["NDJSON", `${JSON.stringify(sent(1, 5))}\n${JSON.stringify(sent(2, 5))}\n`],
  ["UTF-16", Buffer.from(`\uFEFF${JSON.stringify([sent(1, 5)])}`, "utf16le")],
  ["nested too deeply", deep],
  ["one endless string", `"${"x".repeat(2_000_000)}`],
  ["what breaks off before its first entry", '{"data":['],
])("%s: no day is read, and the run fails", async (_, body) => {
  const { state, queries, run } = openLog();
  state.answer = () => answer(body);
  expect(await run()).toMatchObject({ result: "failed", isWhole: false, entries: 0, published: 0 });
  expect(queries.length).toBeGreaterThan(1);
  // One day that is read is enough.
  state.answer = ({ startDate }) => answer(startDate === "2026-11-21" ? [] : body);
  expect(await run()).toMatchObject({ result: "incomplete", isWhole: false });
});

test.each([
  [206, "bytes 0-0/*", "incomplete"],
  [206, "bytes 0-0/50", "incomplete"],
  [206, "items 1-1/1", "incomplete"],
  [206, undefined, "incomplete"],
  [206, "items 0-0/1", "complete"],
  [200, undefined, "complete"],
])("an answer %i with the range %s is %s", async (httpStatus, range, result) => {
  const { log, state, run } = openLog();
  log.push(sent(1, 5));
  state.answer = () => answer(log, { httpStatus, headers: range ? { "content-range": range } : {} });
  expect(await run()).toMatchObject({ result, isWhole: result === "complete", published: 1 });
});

test("an empty answer 206 is whole if it says that there is nothing", async () => {
  const { state, run } = openLog();
  state.answer = () => answer([], { httpStatus: 206, headers: { "content-range": "items */0" } });
  expect(await run()).toMatchObject({ result: "complete", entries: 0 });
});

test("a day that breaks off after an entry is read", async () => {
  const { state, run } = openLog();
  state.answer = () => answer(`[${JSON.stringify(sent(1, 5))},{"id`);
  expect(await run()).toMatchObject({ result: "incomplete", isWhole: false, published: 1 });
});

test("CSV that ends as a lost connection does is incomplete, and its whole rows are published", async () => {
  const { state, topic, run } = openLog();
  const body = `transactionId,status,createdAt\ntx-1,CANCELED,${at(5)}\ntx-2,CANCELED,${at(5).slice(0, 10)}`;
  state.answer = () => answer(body, { headers: { "content-type": "text/csv" } });
  expect(await run()).toMatchObject({ result: "incomplete", isWhole: false, published: 1 });
  expect(topic.map(({ transactionId }) => transactionId)).toEqual(["tx-1"]);
});

test("an entry that is not understood is said, and the others are published", async () => {
  const { state, topic, queries, run } = openLog();
  state.answer = () => answer([sent(1, 5), { what: "ever" }]);
  const report = await run();
  expect(report).toMatchObject({ result: "incomplete", entries: 2, published: 1, unreadable: 1 });
  expect(report.isWhole, "no later run would understand more").toBe(true);
  expect(topic).toHaveLength(1);
  // Single days would show nothing else: it was asked to compare, and to publish.
  expect(queries).toHaveLength(2);
});

const unlike = Array.from({ length: 30 }, (_, n) => ({ transaction: { id: `tx-${n}`, state: "CANCELED" } }));
const otherType = Array.from({ length: 30 }, (_, n) => ({ ...sent(n, 5), eventName: "QUOTE_EXPIRED" }));

test.each<[string, object, boolean]>([
  ["of which not one is understood is not read", { data: unlike }, false],
  ["of errors is not read", { errors: [{ message: "try later" }] }, false],
  ["of which one is understood is read", { data: [...unlike, sent(1, 5)] }, true],
  ["of another event type is not read: ours may be called so", { data: otherType }, false],
  [
    "of another event type, with one of ours, is read",
    { data: [...otherType, { what: "ever" }, sent(1, 5)] },
    true,
  ],
])("a list %s", async (_, body, isWhole) => {
  const { state, run } = openLog();
  state.answer = () => answer(body);
  expect(await run()).toMatchObject({ result: "incomplete", isWhole });
});

test("a day of another event type is read when another day has ours", async () => {
  const { state, run } = openLog();
  state.answer = ({ startDate, endDate }) => {
    const isDay = Date.parse(endDate) - Date.parse(startDate) <= 86_400_000;
    if (!isDay) return answer({ data: [], hasMore: true });
    return answer(
      startDate === "2026-11-21" ? [sent(1, 5)] : [{ ...sent(2, 30), eventName: "QUOTE_EXPIRED" }],
    );
  };
  expect(await run()).toMatchObject({ result: "incomplete", isWhole: true, published: 1 });
});

test.each([401, 403, 404, 429, 503])(
  "%i ends the run as failed, without more questions",
  async (httpStatus) => {
    const { state, queries, run } = openLog();
    state.answer = () => answer("", { httpStatus });
    expect(await run()).toMatchObject({
      result: "failed",
      reasons: [`the partner answered ${httpStatus}`],
    });
    expect(queries).toHaveLength(1);
  },
);

test("400 for an end in the future: today in São Paulo, then in UTC; each reading tries anew, for one 400 may have had another reason", async () => {
  const { log, state, queries, run } = openLog();
  log.push(sent(1, 5));
  state.answer = ({ endDate }) => (endDate > "2026-11-21" ? answer("", { httpStatus: 400 }) : answer(log));
  expect(await run()).toMatchObject({ result: "complete", published: 1 });
  expect(queries.map(({ endDate }) => endDate).slice(0, 2)).toEqual(["2026-11-23", "2026-11-21"]);
  const first = queries.length;
  state.answer = () => answer(log);
  expect(await run()).toMatchObject({ result: "complete", known: 1 });
  expect(queries.slice(first).map(({ endDate }) => endDate)).toEqual(["2026-11-23"]);
});

test("a log that shows other days than was asked for is incomplete, and what it shows is published", async () => {
  const { log, state, topic, run } = openLog();
  log.push(sent(1, 5), sent(2, 500));
  state.answer = () => answer(log);
  expect(await run()).toMatchObject({ result: "incomplete", published: 1 });
  expect(topic).toHaveLength(1);
});

test("a topic that cannot be read, or takes nothing, fails the run; nothing is published unlooked", async () => {
  const { log, topic, state, run } = openLog();
  log.push(sent(1, 5), sent(2, 5));
  state.isTopicReadable = false;
  expect(await run()).toMatchObject({
    result: "failed",
    published: 0,
    reasons: ["the topic cannot be read"],
  });
  expect(topic).toHaveLength(0);
  state.isTopicReadable = true;
  state.publish = () => Promise.reject(new Error("not acknowledged"));
  expect(await run()).toMatchObject({ result: "failed", published: 0, reasons: ["not acknowledged"] });
  state.publish = () => Promise.resolve();
  expect(await run()).toMatchObject({ result: "complete", published: 2 });
});

test("a replica that is no longer chosen publishes nothing more", async () => {
  const { log, topic, state, run } = openLog();
  for (let n = 0; n < 200; n++) log.push(sent(n, 5));
  state.mayPublish = () => {
    if (topic.length >= 3) throw new Error("another replica may have been chosen");
  };
  expect(await run()).toMatchObject({ result: "failed" });
  expect(topic.length).toBeLessThan(80);
});

test("more than is held at a time is published in several turns", async () => {
  const { log, topic, queries, run } = openLog();
  const large = "x".repeat(900_000);
  for (let n = 0; n < 80; n++) log.push({ ...sent(n, 5), ...{ large } });
  expect(await run()).toMatchObject({ result: "complete", published: 80 });
  expect(queries.length).toBeGreaterThan(2);
  expect(new Set(topic.map(({ transactionId }) => transactionId)).size).toBe(80);
});

test("a partner that refuses the future, and shows no more than two days, is asked for no day that lies in the future", async () => {
  const { log, state, topic, run } = openLog();
  for (let n = 0; n < 30; n++) log.push(sent(n, 1 + n / 2));
  state.answer = ({ startDate, endDate }) => {
    if (endDate > "2026-11-21") return answer("", { httpStatus: 400 });
    const shown = log.filter(({ createdAt = "" }) => {
      const day = createdAt.slice(0, 10);
      return day >= startDate && day <= endDate;
    });
    const isCut = Date.parse(endDate) - Date.parse(startDate) > 86_400_000;
    return answer({ data: isCut ? shown.slice(0, 9) : shown, hasMore: isCut });
  };
  expect(await run()).toEqual({ ...COMPLETE, entries: 30, known: 0, published: 30, tooYoung: 0 });
  expect(topic).toHaveLength(30);
});

test("a run that fails is not whole; its dry run says nothing of what would be published", async () => {
  const { log, state, run } = openLog();
  log.push(sent(1, 5));
  state.isTopicReadable = false;
  expect(await run({ dryRun: true })).toMatchObject({ result: "failed", published: 0, isWhole: false });
  state.isTopicReadable = true;
  state.answer = () => answer({ data: log, hasMore: true });
  expect(await run()).toMatchObject({ result: "incomplete", published: 1, entries: 1, isWhole: false });
});
