import { createHmac, randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { TARGET } from "../bridge.mjs";

const EVERY_MS = 20;
const AGAIN_MS = 50;
const ANSWER_MS = 10_000;
const OK = 200;

/** A new notification, signed. @param {number} port */
const postWebhook = (port) => {
  const createdAt = new Date().toISOString();
  const body = JSON.stringify({ transactionId: randomUUID(), status: "PAYMENT_CONFIRMED", createdAt });
  const signature = createHmac("sha256", TARGET.secret).update(body).digest("hex");
  const headers = { "content-type": "application/json", [TARGET.signatureHeader]: signature };
  return fetch(`http://127.0.0.1:${port}${TARGET.path}`, {
    ...{ method: "POST", body, headers },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
};

/**
 * Asks a bridge that is starting for /livez and sends it webhooks, one after the other of each, and measures the answers from the first
 * 200 on.
 * @param {{ port: number, livez: string }} bridge
 */
export function measureAnswers({ port, livez }) {
  let over = false;
  /** @param {() => Promise<Response>} ask */
  const sample = async (ask) => {
    /** @type {number[]} */
    const latencies = [];
    let bad = 0;
    while (!over) {
      const askedAt = performance.now();
      const answer = await ask().catch(() => null);
      await answer?.body?.cancel().catch(() => {});
      const isOk = answer?.status === OK;
      if (isOk) latencies.push(performance.now() - askedAt);
      else if (latencies.length > 0) bad += 1;
      await sleep(isOk ? EVERY_MS : AGAIN_MS);
    }
    return { latencies: latencies.sort((a, b) => a - b), bad };
  };
  const sampling = Promise.all([
    sample(() => fetch(livez, { signal: AbortSignal.timeout(ANSWER_MS) })),
    sample(() => postWebhook(port)),
  ]);
  return {
    stop: async () => {
      over = true;
      const [lives, hooks] = await sampling;
      return { lives, hooks };
    },
  };
}
