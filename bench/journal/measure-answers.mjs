import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { openConnection } from "../webhooks/connection.mjs";
import { signedRequests } from "../webhooks/requests.mjs";
import { TARGET } from "../bridge.mjs";

const EVERY_MS = 20;
const AGAIN_MS = 50;
const MOST_WEBHOOKS = 20_000;
const OK = 200;

/** @param {number} port @returns {Promise<{ send: (request: Buffer) => Promise<number>, close: () => void }>} */
async function openWebhooks(port) {
  /** @type {(status: number) => void} */
  let answered = () => {};
  const connection = await openConnection(port, {
    answered: (_, status) => answered(status),
    broken: () => answered(0),
  });
  return {
    close: connection.close,
    send: (request) =>
      new Promise((resolve) => {
        answered = resolve;
        connection.send(request, 0);
      }),
  };
}

/**
 * Asks a bridge that is starting for /livez and sends it webhooks, one after the other of each, and measures the answers from the first
 * 200 on.
 * @param {{ port: number, livez: string }} bridge
 */
export function measureAnswers({ port, livez }) {
  let over = false;
  /** @param {() => Promise<number>} ask gives the status */
  const sample = async (ask) => {
    /** @type {number[]} */
    const latencies = [];
    let bad = 0;
    while (!over) {
      const askedAt = performance.now();
      const status = await ask().catch(() => 0);
      if (status === OK) latencies.push(performance.now() - askedAt);
      else if (latencies.length > 0) bad += 1;
      await sleep(status === OK ? EVERY_MS : AGAIN_MS);
    }
    return { latencies: latencies.sort((a, b) => a - b), bad };
  };
  const requests = signedRequests(MOST_WEBHOOKS, TARGET);
  /** @type {Awaited<ReturnType<typeof openWebhooks>> | null} */
  let webhooks = null;
  const sampling = Promise.all([
    sample(async () => {
      const answer = await fetch(livez, { signal: AbortSignal.timeout(10_000) });
      await answer.body?.cancel();
      return answer.status;
    }),
    sample(async () => {
      webhooks ??= await openWebhooks(port);
      const request = requests.pop();
      if (!request) throw new Error("more webhooks than were signed");
      return webhooks.send(request);
    }),
  ]);
  return {
    stop: async () => {
      over = true;
      const [lives, hooks] = await sampling;
      webhooks?.close();
      return { lives, hooks };
    },
  };
}
