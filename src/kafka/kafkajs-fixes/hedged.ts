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
