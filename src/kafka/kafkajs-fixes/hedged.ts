/*
 * kafkajs 2.2.4 sends each request to one broker, and waits for its timeout where that one is frozen.
 * Mended when test/faults/webhooks-under-broker-faults.test.ts passes without it.
 */
import type { Clock } from "../../runtime/clock.ts";

/** Much longer than an answer takes. With one frozen broker of three, the delay is one interval, rarely two. */
export const HEDGE = { everyMs: 750, atMost: 4 };

/**
 * Hedged requests: repeats a request while it is unanswered, and takes the first answer. Rejects when all have failed.
 * @param discard gets the answers that come too late
 */
export const hedged = <T>(
  { clock, everyMs, atMost }: { clock: Clock; everyMs: number; atMost: number },
  ask: () => Promise<T>,
  discard: (late: T) => void = () => undefined,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const over = new AbortController();
    let unanswered = 0;

    const askOnce = (): void => {
      unanswered += 1;
      ask().then(
        (answer) => {
          if (over.signal.aborted) discard(answer);
          over.abort();
          resolve(answer);
        },
        (error: unknown) => {
          unanswered -= 1;
          if (unanswered > 0) return;
          over.abort();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    };
    const keepAsking = async (): Promise<void> => {
      for (let asked = 0; asked < atMost && !over.signal.aborted; asked += 1) {
        askOnce();
        await clock.sleep(everyMs, over.signal).catch(() => undefined);
      }
    };
    void keepAsking();
  });

/** The timeout of everything except sends and fetches. */
export const STEP_TIMEOUT_MS = 4_000;
const CLOSE_TIMEOUT_MS = 2_000;
/**
 * Each client begins with another broker, so two are enough. An attempt on a frozen broker lingers until its timeout:
 * no more than needed.
 */
const HEDGE_OPENING = { ...HEDGE, atMost: 2 };

type Connection = { connect: () => Promise<void>; disconnect: () => Promise<void> };
export type Opened<C> = { client: C; close: () => Promise<void> };

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
