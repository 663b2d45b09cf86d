/*
 * kafkajs 2.2.4 does not notice a broker that has stopped answering, and after the wall clock was set back it sends
 * no heartbeat until that shows the old time: it reads on without its group. It reports a heartbeat when its answer is
 * read, but the coordinator counts the session from the request: after a freeze of the process, the answer in the
 * socket may be hours old. Mended when clock-set-back.test.ts and elected.test.ts pass without it.
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

/** What a consumer has heard from Kafka, in monotonic milliseconds. */
export type Heard = {
  /** The last answer of any kind. */
  lastAnswerAt: number;
  /** The last request by which the group confirmed the member; -Infinity while it is no member. */
  heartbeatAt: number;
  /** How long a join that is under way may take: it is silent while it waits for members that have died. 0: none is. */
  joinMs: number;
};

/** Fetches return several times a second. Longer than kafkajs's request timeout, so that kafkajs can notice first. */
const SILENCE_MS = 10_000;

/** Why the consumer must be replaced; null while it need not be. */
export const silenceOf = (
  { lastAnswerAt, heartbeatAt, joinMs }: Heard,
  sessionTimeoutMs: number,
  now: number,
): string | null => {
  const silentMs = now - lastAnswerAt;
  if (silentMs > SILENCE_MS + joinMs) return `no sign of life from Kafka for ${Math.round(silentMs)} ms`;
  if (joinMs > 0 || heartbeatAt === Number.NEGATIVE_INFINITY) return null;
  const unconfirmedMs = now - heartbeatAt;
  return unconfirmedMs > sessionTimeoutMs
    ? `the group has confirmed no heartbeat for ${Math.round(unconfirmedMs)} ms`
    : null;
};
