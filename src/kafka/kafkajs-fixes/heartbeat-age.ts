import type { Consumer } from "kafkajs";

/** The requests whose answers prove membership of the group. */
const GROUP_REQUESTS = ["Heartbeat", "SyncGroup"];

/**
 * How long the last answered request to the group coordinator took, in milliseconds. The coordinator counts the session
 * from the request: after a freeze of the process, the answer in the socket may be hours old.
 */
export const groupRoundTrip = (consumer: Consumer): (() => number) => {
  let tookMs = 0;
  consumer.on(consumer.events.REQUEST, ({ payload: { apiName, duration } }) => {
    if (GROUP_REQUESTS.includes(apiName)) tookMs = Math.max(0, duration);
  });
  return () => tookMs;
};
