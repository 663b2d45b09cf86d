import { expect, test } from "vitest";
import { identityOf } from "../../../src/notification/identity.ts";
import { readNotification, type Notification } from "../../../src/notification/notification.ts";
import { occurredAtOf } from "../../../src/notification/occurred-at.ts";
import { profileNames } from "../../../src/sandbox/api/answers/profiles.ts";
import { logChoices } from "../../../src/sandbox/api/log/log-rules.ts";
import { openReceiver, openSandbox } from "../sandbox/open.ts";
import { until } from "../sandbox/receiver.ts";
import { read } from "./answers.ts";

const identity = (notification: Notification): string =>
  identityOf({ ...notification, occurredAt: occurredAtOf(notification.createdAt) });

const ofWebhook = (body: string): Notification => {
  const result = readNotification(body);
  if (!result.ok) throw new Error(result.detail);
  return result.notification;
};

/** Three notifications that arrived, of two transactions, and the log that tells of them. */
const opened = async (answers: (typeof profileNames)[number]) => {
  const hook = await openReceiver();
  const client = await openSandbox({ answers, webhookUrls: [hook.url] });
  for (const [transactionId, status] of [
    ["101", "AWAITING_PAYMENT"],
    ["102", "REFUNDED"],
    ["103", "CANCELED"],
  ])
    await client.control("POST", "transactions", { transactionId, statuses: [status] });
  await until(() => hook.received.length === 3, "the webhooks");
  const log = async (rules: object) => {
    expect(await client.control("PUT", "log", rules)).toMatchObject(rules);
    const { text, headers } = await client.logs();
    return read(text, { headers: Object.fromEntries(headers) });
  };
  return { log, webhooks: hook.received.map(({ body }) => ofWebhook(body)) };
};

test.each(profileNames)(
  "what the log says is what the webhook said, in every form of %s",
  async (answers) => {
    const { log, webhooks } = await opened(answers);
    const identities = webhooks.map(identity).sort();
    const payloads = webhooks.map(({ payload }) => payload).sort();
    for (const notification of logChoices.notification.names)
      for (const per of logChoices.per.names) {
        const form = JSON.stringify({ notification, per });
        const { reasons, unreadable, taken } = await log({ notification, per });
        expect(reasons, form).toEqual([]);
        expect(unreadable, form).toBe(0);
        expect(taken.map(identity).sort(), form).toEqual(identities);
        const isWhole = answers !== "text" && (notification === "object" || notification === "text");
        if (isWhole) expect(taken.map(({ payload }) => payload).sort(), form).toEqual(payloads);
      }
  },
);

test.each(profileNames)(
  "the log may have the form of %s while webhooks have another one",
  async (answers) => {
    const { log, webhooks } = await opened("plain");
    const { reasons, taken } = await log({ answers });
    expect(reasons).toEqual([]);
    expect(taken.map(identity).sort()).toEqual(webhooks.map(identity).sort());
  },
);

test.each(logChoices.createdAt.names.filter((name) => name !== "local" && name !== "epoch-seconds"))(
  "instants written as %s are the same instants",
  async (createdAt) => {
    const { log, webhooks } = await opened("plain");
    // Whole seconds are no other instants for a webhook that said milliseconds, unless they were cut off.
    const seconds = (notification: Notification) =>
      Math.floor((occurredAtOf(notification.createdAt) ?? 0) / 1_000);
    const { taken } = await log({ createdAt });
    // Three deliveries at once arrive in any order.
    expect(taken.map(seconds).sort()).toEqual(webhooks.map(seconds).sort());
    if (createdAt !== "iso-seconds")
      expect(taken.map(identity).sort()).toEqual(webhooks.map(identity).sort());
  },
);

test("entries of another type between the others are passed over", async () => {
  const hook = await openReceiver();
  const client = await openSandbox({ webhookUrls: [hook.url], log: { others: "mixed-in", hint: "total" } });
  for (let nth = 1; nth <= 11; nth++)
    await client.control("POST", "transactions", { transactionId: `tx-${nth}`, statuses: ["A"] });
  await until(() => hook.received.length === 11, "the webhooks");
  for (const answers of profileNames) {
    await client.control("PUT", "log", { answers });
    const { text, headers } = await client.logs();
    const answer = await read(text, { headers: Object.fromEntries(headers) });
    expect(answer, answers).toMatchObject({ entries: 13, otherType: 2, unreadable: 0, reasons: [] });
  }
});

test.each(logChoices.hint.names.filter((name) => name !== "none"))(
  "the hint %s is seen where the log is cut, and only there",
  async (hint) => {
    const { log } = await opened("plain");
    expect((await log({ hint, limit: 2 })).reasons).toHaveLength(1);
    expect((await log({ hint, limit: 3 })).reasons).toEqual([]);
  },
);

test("an empty log is complete; one of an empty body is not", async () => {
  for (const answers of profileNames) {
    const client = await openSandbox({ answers });
    const { text, headers } = await client.logs();
    const { reasons, entries } = await read(text, { headers: Object.fromEntries(headers) });
    expect(entries).toBe(0);
    expect(reasons, answers).toEqual(answers === "empty" ? ["the answer is empty"] : []);
  }
});
