import type { Consumer } from "kafkajs";

/** The requests whose answers say that the group holds this member. */
const GROUP_REQUESTS = ["Heartbeat", "SyncGroup"];

/**
 * How long ago the last question to the group was sent that has been answered. The session runs on from when the group had the question: after
 * a process was frozen, an answer may be found that has lain there for hours.
 */
export const groupRoundTrip = (consumer: Consumer): (() => number) => {
  let tookMs = 0;
  consumer.on(consumer.events.REQUEST, ({ payload: { apiName, duration } }) => {
    if (GROUP_REQUESTS.includes(apiName)) tookMs = Math.max(0, duration);
  });
  return () => tookMs;
};
