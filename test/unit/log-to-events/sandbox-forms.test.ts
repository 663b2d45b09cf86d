import { expect, test } from "vitest";
import { identityOf } from "../../../src/notification/identity.ts";
import { readNotification, type Notification } from "../../../src/notification/notification.ts";
import { occurredAtOf } from "../../../src/notification/occurred-at.ts";
import { formNames } from "../../../src/sandbox/api/answers.ts";
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

test.each(formNames)(
  "what the sandbox's log says in the form %s is what its webhooks said",
  async (answers) => {
    const hook = await openReceiver();
    const client = await openSandbox({ answers, webhookUrls: [hook.url] });
    const sent = ["AWAITING_PAYMENT", "REFUNDED", "CANCELED", "PAYMENT_ISSUE", "PAYMENT_CONFIRMED"];
    for (const status of sent) await client.control("POST", "transactions", { statuses: [status] });
    type State = { totals: { delivered: number } };
    const delivered = async () => (await client.control<State>("GET", "state?only=totals")).totals.delivered;
    await until(async () => (await delivered()) === 5, "the webhooks");
    const log = async (rules: object) => {
      await client.control("PUT", "log", rules);
      const { text, headers } = await client.logs();
      return read(text, {}, { headers: Object.fromEntries(headers) });
    };
    const expected = hook.received.map(({ body }) => identity(ofWebhook(body))).sort();
    for (const createdAt of ["same", "offset", "epoch-millis"]) {
      const { reasons, unreadable, taken } = await log({ createdAt });
      expect({ reasons, unreadable }, createdAt).toEqual({ reasons: [], unreadable: 0 });
      expect(taken.map(identity).sort(), createdAt).toEqual(expected);
    }
    expect(await log({ others: "mixed-in" })).toMatchObject({
      entries: 6,
      otherType: 1,
      unreadable: 0,
      reasons: [],
    });
    await log({ others: "absent" });
    for (const hint of ["next", "has-more", "total", "link"]) {
      expect((await log({ hint, limit: 2 })).reasons, hint).toHaveLength(1);
      expect((await log({ hint, limit: 0 })).reasons, hint).toEqual([]);
    }
  },
);
