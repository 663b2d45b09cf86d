import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { openTraffic } from "../commands/traffic.mjs";
import { openConnection } from "../webhooks/connection.mjs";
import { signedRequests } from "../webhooks/requests.mjs";
import { TARGET } from "../bridge.mjs";
import { TOPICS } from "./programs.mjs";

/** @typedef {{ at: number, ms: number }} Sample `at`: monotonic ms of its start */
/** @typedef {Awaited<ReturnType<typeof startLoad>>} Load */

const WEBHOOKS_PER_SECOND = 100;
const CONNECTIONS = 16;
const LONGEST_SECONDS = 1_800;
const ACCEPT_EVERY_MS = 200;
const ANSWER_MS = 30_000;

/** @param {readonly Sample[]} samples @param {number} from @param {number} to @returns {number[]} the latencies of a time, ascending */
export const latenciesOf = (samples, from, to) =>
  samples
    .filter(({ at }) => at >= from && at < to)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);

/** Starts 100 webhooks and 5 accepts a second, however long answers take. @param {{ port: number, brokers: string }} to */
export async function startLoad({ port, brokers }) {
  /** @type {Sample[]} */
  const webhooks = [];
  /** @type {Sample[]} */
  const accepts = [];
  let good = 0;
  let over = false;
  /** @type {string | null} */
  let broken = null;

  const requests = signedRequests(WEBHOOKS_PER_SECOND * LONGEST_SECONDS, TARGET);
  const idle = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      openConnection(port, {
        answered: (by, status, since) => {
          webhooks.push({ at: since, ms: performance.now() - since });
          if (status === 200) good += 1;
          idle.push(by);
          next();
        },
        broken: ({ message }) => (broken = message),
      }),
    ),
  );
  const connections = [...idle];
  const startedAt = performance.now();
  let sent = 0;
  const next = () => {
    while (!over && idle.length > 0) {
      const due = startedAt + (sent * 1000) / WEBHOOKS_PER_SECOND;
      if (due > performance.now()) return;
      const [free, request] = [idle.shift(), requests[sent]];
      if (!free || !request) return;
      sent += 1;
      // Waiting for a free connection counts as waiting for the answer.
      free.send(request, due);
    }
  };
  const pace = setInterval(next, 1);

  const traffic = await openTraffic(brokers, TOPICS);
  let unanswered = 0;
  const acceptOne = async () => {
    const [commandId, quoteId] = [randomUUID(), randomUUID()];
    const at = performance.now();
    const seen = traffic.seen(commandId).then(() => true);
    await traffic.send([{ commandId, quoteId, key: quoteId }]);
    const answered = await Promise.race([seen, sleep(ANSWER_MS, false, { ref: false })]);
    if (answered) accepts.push({ at, ms: performance.now() - at });
    else unanswered += 1;
  };
  /** @type {Promise<void>[]} */
  const underWay = [];
  const acceptEvery = setInterval(() => underWay.push(acceptOne()), ACCEPT_EVERY_MS);

  return {
    webhooks,
    accepts,
    stop: async () => {
      over = true;
      clearInterval(acceptEvery);
      await Promise.all(underWay);
      for (let waited = 0; webhooks.length < sent && waited < ANSWER_MS; waited += 20) await sleep(20);
      clearInterval(pace);
      for (const connection of connections) connection.close();
      await traffic.close();
      return { sent, good, unanswered, broken };
    },
  };
}
