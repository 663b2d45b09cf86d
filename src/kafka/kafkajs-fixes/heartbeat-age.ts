/*
 * kafkajs 2.2.4 reports a heartbeat when its answer is read. The coordinator counts the session from the request:
 * after a freeze of the process, the answer in the socket may be hours old. Mended when elected.test.ts passes
 * without it.
 */
import type { Consumer } from "kafkajs";

/** The requests whose answers prove membership of the group. */
const GROUP_REQUESTS = ["Heartbeat", "SyncGroup"];

/** How long the last answered request to the group coordinator took, in milliseconds. */
export const groupRoundTrip = (consumer: Consumer): (() => number) => {
  let tookMs = 0;
  consumer.on(consumer.events.REQUEST, ({ payload: { apiName, duration } }) => {
    if (GROUP_REQUESTS.includes(apiName)) tookMs = Math.max(0, duration);
  });
  return () => tookMs;
};
