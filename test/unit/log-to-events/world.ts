import { eventWindow } from "../../../src/notification/event-window.ts";
import { NO_FACTS } from "../../../src/notification/transaction-facts.ts";
import { createPublishOnce } from "../../../src/notification/publish-once.ts";
import { translate } from "../../../src/notification/translate.ts";
import { logToEvents, type RunRequest } from "../../../src/log-to-events/flow.ts";
import type { LogAnswer, LogQuery } from "../../../src/partner/types.ts";
import type { TransactionStatusUpdated } from "../../../src/records.ts";
import { FORM } from "./answers.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import type { Digest } from "../../../src/runtime/digest.ts";

export const NOW_MS = Date.parse("2026-11-21T12:00:00Z");
const HOUR_MS = 3_600_000;

export type Sent = { transactionId: string; status: string; createdAt?: string };
export const at = (hoursAgo: number): string => new Date(NOW_MS - hoursAgo * HOUR_MS).toISOString();

export const answer = (value: unknown, changes: Partial<LogAnswer> = {}): LogAnswer => ({
  httpStatus: 200,
  headers: {},
  retryAfterMs: null,
  body: (async function* () {
    await Promise.resolve();
    yield Buffer.isBuffer(value)
      ? value
      : Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  })(),
  ...changes,
});

const hideSecret = (text: string): string => text.replaceAll("s3cret", "***");

/** The flow before a partner and a topic of paper. */
export const openLog = () => {
  const log: Sent[] = [];
  const topic: TransactionStatusUpdated[] = [];
  const queries: LogQuery[] = [];
  const window = eventWindow({ windowMs: 2 * HOUR_MS, maxBytes: 100_000 });
  const state = {
    answer: (() => answer(log)) as (query: LogQuery) => LogAnswer | Promise<LogAnswer>,
    publish: (() => Promise.resolve()) as (event: TransactionStatusUpdated) => Promise<void>,
    isTopicReadable: true,
    isInWindow: (identity: Digest): boolean => window.has(identity, NOW_MS),
    /** Of which transactions the events can be read. */
    isRead: (transactionId: string): boolean => transactionId !== "tx-unread",
    /** Waiting takes no time. */
    waitedMs: 0,
  };
  const sleep = (ms: number): Promise<void> => {
    state.waitedMs += ms;
    return Promise.resolve();
  };
  const publishOnce = createPublishOnce({
    publish: async (event) => {
      await state.publish(event);
      topic.push(event);
      return { partition: 0, offset: topic.length - 1 };
    },
    window,
    mask: hideSecret,
    eventFields: [],
    onPublished: () => undefined,
    now: () => NOW_MS,
  });
  const run = logToEvents(
    { ...FORM, mask: hideSecret, minAgeMs: 600_000, lanes: 8, mostNotifications: 1_000 },
    {
      clock: { ...systemClock, now: () => NOW_MS, monotonic: () => state.waitedMs, sleep },
      fetchLog: async (query) => {
        queries.push(query);
        return state.answer(query);
      },
      isInWindow: (identity) => state.isInWindow(identity),
      readEvents: (_, take) => {
        if (!state.isTopicReadable) return Promise.reject(new Error("the topic cannot be read"));
        for (const event of topic) if (state.isRead(event.transactionId)) take(event);
        return Promise.resolve({ isRead: state.isRead, reason: "a partition cannot be read" });
      },
      publish: async (notification, facts) => {
        const context = { receivedAt: NOW_MS, source: "NOTIFICATION_LOG", trace: null, facts } as const;
        return (await publishOnce(notification, context)).kind === "published" ? "published" : "known";
      },
    },
  );
  return {
    log,
    topic,
    queries,
    state,
    /** An event that a webhook became, longer ago than the window remembers. */
    publishedBefore: (sent: Sent) =>
      topic.push(
        translate(
          { ...sent, createdAt: sent.createdAt ?? "", payload: "{}" },
          {
            receivedAt: NOW_MS - 3 * HOUR_MS,
            source: "WEBHOOK",
            facts: NO_FACTS,
            mask: hideSecret,
            eventFields: [],
          },
        ),
      ),
    run: (changes: Partial<RunRequest> = {}, signal = new AbortController().signal) =>
      run(
        { period: { fromMs: NOW_MS - 26 * HOUR_MS, toMs: NOW_MS }, dryRun: false, force: false, ...changes },
        signal,
      ),
  };
};
