/*
 * kafkajs 2.2.4 connects to its brokers one after the other: a frozen one holds it up until the timeout.
 * Mended when test/faults/webhooks-under-broker-faults.test.ts passes without it.
 */
import type { Clock } from "../../runtime/clock.ts";
import { hedged, HEDGE } from "./hedged.ts";

/** The timeout of everything except sends and fetches. */
export const STEP_TIMEOUT_MS = 4_000;
const CLOSE_TIMEOUT_MS = 2_000;
/**
 * Each client begins with another broker, so two are enough. An attempt on a frozen broker lingers until its timeout:
 * no more than needed.
 */
const HEDGE_OPENING = { ...HEDGE, atMost: 2 };

type Connection = { connect: () => Promise<void>; disconnect: () => Promise<void> };
type Opened<C> = { client: C; close: () => Promise<void> };

/** Connects, in bounded time. Rejects when no broker can be reached. */
export const opened = <C extends Connection>(clock: Clock, newConnection: () => C): Promise<Opened<C>> =>
  hedged(
    { clock, ...HEDGE_OPENING },
    async () => {
      const client = newConnection();
      const close = (): Promise<void> =>
        clock.withDeadline(CLOSE_TIMEOUT_MS, undefined, client.disconnect).catch(() => undefined);
      try {
        await clock.withDeadline(STEP_TIMEOUT_MS, undefined, client.connect);
      } catch (error) {
        void close();
        throw error;
      }
      return { client, close };
    },
    (late) => void late.close(),
  );
