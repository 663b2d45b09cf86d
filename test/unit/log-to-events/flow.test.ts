import { expect, test } from "vitest";
import { answer, at, NOW_MS, openLog, type Sent } from "./world.ts";

const sent = (n: number, hoursAgo: number, status = "CANCELED"): Sent => ({
  transactionId: `tx-${n}`,
  status,
  createdAt: at(hoursAgo),
});
const COMPLETE = { result: "complete", isWhole: true, held: 0, unreadable: 0, otherType: 0, reasons: [] };

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

test("a createdAt that repeats a secret is known by what the event shows of it", async () => {
  const { log, publishedBefore, run } = openLog();
  const repeated = { transactionId: "tx-1", status: "CANCELED", createdAt: "/hooks/s3cret" };
  publishedBefore(repeated);
  log.push(repeated);
  expect(await run()).toMatchObject({ result: "complete", known: 1, published: 0 });
});

test("what belongs to a partition that cannot be read is held back, and the run says so", async () => {
  const { log, topic, run } = openLog();
  log.push({ ...sent(1, 5), transactionId: "tx-unread" }, sent(2, 5));
  const reasons = ["a partition cannot be read"];
  expect(await run()).toMatchObject({ result: "incomplete", isWhole: false, published: 1, held: 1, reasons });
  expect(topic.map(({ transactionId }) => transactionId)).toEqual(["tx-2"]);
});

test("of more notifications than a run compares it publishes the first ones, keeps no others, and says so", async () => {
  const { log, topic, run } = openLog();
  for (let n = 0; n < 1_050; n++) log.push(sent(n, 5), sent(n, 5));
  const reasons = [
    "the log holds more than the 1000 notifications that a run compares: let runs cover less time",
  ];
  const cut = { result: "incomplete", isWhole: false, entries: 2_100, reasons };
  expect(await run()).toMatchObject({ ...cut, published: 1_000 });
  expect(topic).toHaveLength(1_000);
  expect(await run()).toMatchObject({ ...cut, known: 1_000, published: 0 });
});

test("what is too young is left to its webhook, unless it is known", async () => {
  const { log, topic, publishedBefore, run } = openLog();
  log.push(sent(1, 0.1), sent(2, 0.1), sent(3, 0.2));
  publishedBefore(sent(1, 0.1));
  expect(await run()).toEqual({ ...COMPLETE, entries: 3, known: 1, published: 1, tooYoung: 1 });
  expect(topic.map(({ transactionId }) => transactionId)).toEqual(["tx-1", "tx-3"]);
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

test("twenty of which none is known, although events of that time are, are suspicious; less, or an empty topic, are an outage", async () => {
  const world = () => {
    const open = openLog();
    for (let n = 0; n < 20; n++) open.log.push(sent(n, 5));
    return open;
  };
  const suspicious = world();
  suspicious.publishedBefore(sent(100, 5));
  // A later run that knows one publishes the others: until then each looks as far back.
  expect(await suspicious.run()).toMatchObject({
    ...{ result: "suspicious", known: 0, held: 20, published: 0, isWhole: false },
    reasons: [expect.stringMatching(/not one .* is known/)],
  });
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

/** A log that says each instant in another way. */
const relogged = (sentOnes: Sent[], change: (ms: number) => number): Sent[] =>
  sentOnes.map((each) => ({
    ...each,
    createdAt: new Date(change(Date.parse(each.createdAt ?? ""))).toISOString(),
  }));

test.each([
  [0, { known: 1, held: 0 }],
  [1_000, { known: 1, held: 0 }],
  [-1_000, { known: 1, held: 0 }],
  [1_001, { known: 0, held: 1 }],
  [-1_001, { known: 0, held: 1 }],
])("an instant %i ms from that of the event: %j", async (ms, counts) => {
  const { log, topic, publishedBefore, run } = openLog();
  publishedBefore(sent(1, 5));
  log.push(...relogged([sent(1, 5)], (instant) => instant + ms));
  expect(await run()).toMatchObject({
    ...counts,
    published: 0,
    result: counts.held ? "suspicious" : "complete",
  });
  expect(topic).toHaveLength(1);
});

test("one that is held does not hold the others", async () => {
  const { log, topic, publishedBefore, run } = openLog();
  publishedBefore(sent(1, 5));
  publishedBefore(sent(2, 5));
  log.push(...relogged([sent(1, 5)], (ms) => ms - 3 * 3_600_000), sent(2, 5), sent(3, 5));
  const held = { result: "suspicious", known: 1, held: 1, isWhole: true };
  expect(await run({ dryRun: true })).toMatchObject({ ...held, published: 1 });
  expect(await run()).toMatchObject({ ...held, published: 1 });
  expect(await run()).toMatchObject({ ...held, known: 2, published: 0 });
  expect(topic).toHaveLength(3);
  expect(await run({ force: true })).toMatchObject({ result: "complete", published: 1, held: 0 });
  expect(await run()).toMatchObject({ result: "complete", known: 3, published: 0, held: 0 });
});

/** All of a day, but a part of several days. */
const daysOf = (log: readonly Sent[], { startDate, endDate }: { startDate: string; endDate: string }) => {
  const shown = log.filter(({ createdAt = "" }) => {
    const day = createdAt.slice(0, 10);
    return day >= startDate && day <= endDate;
  });
  const isCut = Date.parse(endDate) - Date.parse(startDate) > 86_400_000;
  return answer({ data: isCut ? shown.slice(0, 9) : shown, hasMore: isCut });
};

test("a hint that there is more makes it ask for single days, and what they show is complete", async () => {
  const { log, topic, queries, state, run } = openLog();
  for (let n = 0; n < 30; n++) log.push(sent(n, 1 + n / 2));
  state.answer = (query) => daysOf(log, query);
  expect(await run()).toMatchObject({ result: "complete", published: 30, reasons: [] });
  expect(topic).toHaveLength(30);
  expect(queries.every(({ eventType }) => eventType === "TRANSACTION_STATUS_UPDATED")).toBe(true);
});

test.each<[string, string | Buffer]>([
  ["HTML", "<html><body>Sign in</body></html>"],
  ["NDJSON", `${JSON.stringify(sent(1, 5))}\n${JSON.stringify(sent(2, 5))}\n`],
  ["UTF-16", Buffer.from(`\uFEFF${JSON.stringify([sent(1, 5)])}`, "utf16le")],
  ["one endless string", `"${"x".repeat(2_000_000)}`],
  ["what breaks off before its first entry", '{"data":['],
])("%s: it asks by days, and the run fails where none is read", async (_, body) => {
  const { state, queries, run } = openLog();
  state.answer = () => answer(body);
  const report = await run();
  expect(report).toMatchObject({ isWhole: false, published: 0 });
  expect(["failed", "incomplete"]).toContain(report.result);
  expect(queries.length).toBeGreaterThan(1);
});

test("entries that are not understood are said, and the others are published; other events are counted", async () => {
  const { state, topic, queries, run } = openLog();
  state.answer = () => answer([sent(1, 5), { what: "ever" }, { eventType: "ping" }]);
  const report = await run();
  expect(report).toMatchObject({
    result: "incomplete",
    entries: 3,
    published: 1,
    unreadable: 1,
    otherType: 1,
  });
  expect(report.isWhole, "no later run would understand more").toBe(true);
  expect(topic).toHaveLength(1);
  // Single days would show nothing else: it was asked to compare, and to publish.
  expect(queries).toHaveLength(2);
});

test("what breaks off is incomplete, and what came before is published", async () => {
  const { state, run } = openLog();
  state.answer = () => answer(`[${JSON.stringify(sent(1, 5))},{"id`);
  expect(await run()).toMatchObject({ result: "incomplete", isWhole: false, published: 1 });
});

test.each([401, 403, 404, 429, 503])(
  "%i ends the run as failed, without more questions",
  async (httpStatus) => {
    const { state, queries, run } = openLog();
    state.answer = () => answer("", { httpStatus });
    expect(await run()).toMatchObject({ result: "failed", reasons: [`the partner answered ${httpStatus}`] });
    expect(queries).toHaveLength(1);
  },
);

test.each([429, 503])(
  "after %i with Retry-After the run waits, for ten minutes in all",
  async (httpStatus) => {
    const { log, state, queries, run } = openLog();
    log.push(sent(1, 5));
    const busy = answer("", { httpStatus, retryAfterMs: 5_000 });
    state.answer = () => (queries.length < 3 ? busy : answer(log));
    expect(await run()).toMatchObject({ result: "complete", published: 1 });
    expect(state.waitedMs).toBe(10_000);
    state.answer = () => busy;
    const reasons = ["the partner asks to wait for too long"];
    expect(await run()).toMatchObject({ result: "failed", isWhole: false, reasons });
    expect(state.waitedMs).toBeLessThanOrEqual(10_000 + 600_000);
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

test("a partner that fails for many days, and refuses days in the future, is read day by day up to today", async () => {
  const { log, state, run } = openLog();
  log.push(sent(1, 5));
  state.answer = (query) => {
    const { startDate, endDate } = query;
    if (Date.parse(endDate) - Date.parse(startDate) > 86_400_000) return answer("", { httpStatus: 500 });
    return endDate > "2026-11-21" ? answer("", { httpStatus: 400 }) : daysOf(log, query);
  };
  expect(await run()).toMatchObject({ result: "complete", published: 1, reasons: [] });
});

test("a log that shows other days than was asked for is incomplete, and what it shows is published", async () => {
  const { log, state, topic, run } = openLog();
  log.push(sent(1, 5), sent(2, 500));
  state.answer = () => answer(log);
  // The next runs look back as far again: such a log may lack entries of the dates.
  expect(await run()).toMatchObject({ result: "incomplete", isWhole: false, published: 1 });
  expect(topic).toHaveLength(1);
});

test("one that the deduplication window holds is known, and the topic is not read for it", async () => {
  const { log, state, run } = openLog();
  log.push(sent(1, 1), sent(2, 0.1));
  state.isInWindow = () => true;
  state.isTopicReadable = false;
  expect(await run()).toEqual({ ...COMPLETE, entries: 2, known: 2, published: 0, tooYoung: 0 });
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

test("a partition that takes nothing fails the run, and costs its own transactions only", async () => {
  const { log, topic, state, run } = openLog();
  for (let n = 0; n < 300; n++) log.push(sent(n, 5));
  const isTaken = ({ transactionId }: { transactionId: string }): boolean => !transactionId.endsWith("9");
  state.publish = async (event) => {
    if (!isTaken(event)) throw new Error("its partition takes nothing");
    return Promise.resolve();
  };
  const reasons = ["its partition takes nothing"];
  expect(await run()).toMatchObject({ result: "failed", isWhole: false, published: 270, reasons });
  expect(topic).toHaveLength(270);
  expect(topic.every(isTaken)).toBe(true);
});

test("a topic that takes nothing at all is not tried for each transaction", async () => {
  const { log, state, run } = openLog();
  for (let n = 0; n < 1_000; n++) log.push(sent(n, 5));
  let tried = 0;
  state.publish = () => {
    tried += 1;
    return Promise.reject(new Error("not acknowledged"));
  };
  expect(await run()).toMatchObject({ result: "failed", published: 0 });
  expect(tried).toBeLessThan(120);
});

test("more than is held at a time is published in several turns", async () => {
  const { log, topic, queries, run } = openLog();
  const large = "x".repeat(900_000);
  for (let n = 0; n < 40; n++) log.push({ ...sent(n, 5), ...{ large } });
  expect(await run()).toMatchObject({ result: "complete", published: 40 });
  expect(queries.length).toBeGreaterThan(2);
  expect(new Set(topic.map(({ transactionId }) => transactionId)).size).toBe(40);
});
