/*
 * kafkajs 2.2.4 repeats a failed fetch by itself and says nothing of it: the topic may have been created anew
 * meanwhile. It asks a frozen broker four times more, for 40 s in all, while the others know the next leader already.
 * Mended when test/faults/frozen-partition-leader.test.ts and replaced-log.test.ts pass without it.
 */
import type { Consumer } from "kafkajs";

/** Calls back when kafkajs fetches from a broker again after a failed fetch: it emits FETCH only after one that succeeded. */
export const onFetchRetry = (consumer: Consumer, fetchesAgain: () => void): void => {
  const { FETCH_START, FETCH } = consumer.events;
  const underWay = new Set<number>();
  consumer.on(FETCH_START, ({ payload: { nodeId } }) => {
    if (underWay.has(nodeId)) fetchesAgain();
    underWay.add(nodeId);
  });
  consumer.on(FETCH, ({ payload: { nodeId } }) => {
    underWay.delete(nodeId);
  });
};

/** A process that is so late for its timers was stopped itself: the answer may be there, unread. */
const STALLED_MS = 2_000;

/** Calls back when a broker has not answered a fetch in time. */
export const onUnansweredFetch = (
  consumer: Consumer,
  { sinceTimerMs, unanswered }: { sinceTimerMs: () => number; unanswered: (error: Error) => void },
): void => {
  consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload: { apiName, broker } }) => {
    if (apiName === "Fetch" && sinceTimerMs() < STALLED_MS)
      unanswered(new Error(`${broker} does not answer a fetch`));
  });
};
