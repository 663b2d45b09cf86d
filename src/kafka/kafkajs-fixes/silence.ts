/*
 * kafkajs 2.2.4 does not notice a broker that has stopped answering, and after the wall clock was set back it sends
 * no heartbeat until that shows the old time: it reads on without its group. Mended when
 * test/integration/clock-set-back.test.ts passes without it.
 */
/** What a consumer has heard from Kafka, in monotonic milliseconds. */
export type Heard = {
  /** The last answer of any kind. */
  signAt: number;
  /** The last request by which the group confirmed the member; -Infinity while it is no member. */
  heartbeatAt: number;
  /** How long a join that is under way may take: it is silent while it waits for members that have died. 0: none is. */
  joinMs: number;
};

/** Fetches return several times a second. Longer than kafkajs's request timeout, so that kafkajs can notice first. */
const SILENCE_MS = 10_000;

/** Why the consumer must be replaced; null while it need not be. */
export const silenceOf = (
  { signAt, heartbeatAt, joinMs }: Heard,
  sessionTimeoutMs: number,
  now: number,
): string | null => {
  const silentMs = now - signAt;
  if (silentMs > SILENCE_MS + joinMs) return `no sign of life from Kafka for ${Math.round(silentMs)} ms`;
  if (joinMs > 0 || heartbeatAt === Number.NEGATIVE_INFINITY) return null;
  const unconfirmedMs = now - heartbeatAt;
  return unconfirmedMs > sessionTimeoutMs
    ? `the group has confirmed no heartbeat for ${Math.round(unconfirmedMs)} ms`
    : null;
};
