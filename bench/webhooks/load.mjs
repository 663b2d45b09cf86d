// The load, as a process of its own: options as JSON in the first argument, figures as one line of JSON on standard output.
import { performance } from "node:perf_hooks";
import { openConnection } from "./connection.mjs";
import { signedRequests } from "./requests.mjs";

/**
 * @typedef {import("./connection.mjs").Connection} Connection
 *
 * @typedef {object} LoadOptions
 * @property {number} port
 * @property {import("./requests.mjs").Target} target
 * @property {number} connections each with one request at a time
 * @property {number} seconds
 * @property {number | null} perSecond requests a second, however long answers take; null for as many as answers allow
 */

/**
 * @typedef {object} LoadFigures
 * @property {number} answered
 * @property {number} good answered with a 2xx
 * @property {number} seconds
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} cpuSeconds of the load itself
 */

/** No server answers more, so a round does not run out of requests. */
const MOST_PER_SECOND = 30_000;
const MOST_PER_SECOND_OF_ONE_CONNECTION = 5_000;
const LAST_ANSWERS_WITHIN_MS = 15_000;

/** @param {LoadOptions} options @returns {Promise<LoadFigures>} */
async function load({ port, target, connections, seconds, perSecond }) {
  const rate = perSecond ?? Math.min(MOST_PER_SECOND, connections * MOST_PER_SECOND_OF_ONE_CONNECTION);
  const requests = signedRequests(Math.ceil(rate * seconds), target);
  const latenciesMs = new Float64Array(requests.length);
  let sent = 0;
  let answered = 0;
  let good = 0;

  /** @type {() => void} */
  let finish = () => {};
  /** @type {(error: Error) => void} */
  let fail = () => {};
  /** @type {Promise<void>} */
  const finished = new Promise((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });

  /** @param {Connection} by @param {number} status @param {number} sinceMs */
  const onAnswer = (by, status, sinceMs) => {
    latenciesMs[answered++] = performance.now() - sinceMs;
    if (status >= 200 && status < 300) good++;
    idle.push(by);
    next();
  };
  const opened = await Promise.all(
    Array.from({ length: connections }, () => openConnection(port, { answered: onAnswer, broken: fail })),
  );
  const idle = [...opened];

  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  /** When the request after the ones sent is due. */
  const dueMs = () => (perSecond === null ? performance.now() : startedMs + (sent * 1000) / perSecond);
  const isOver = () => sent === requests.length || performance.now() >= endMs;

  const next = () => {
    while (idle.length > 0 && !isOver()) {
      const due = dueMs();
      if (due > performance.now()) break;
      // In turn: the server would close a connection that is never used.
      const free = idle.shift();
      const request = requests[sent++];
      if (free === undefined || request === undefined) break;
      // Waiting for a free connection counts as waiting for the answer.
      free.send(request, due);
    }
    if (isOver() && answered === sent) finish();
  };
  const pace = setInterval(next, 1);
  const giveUp = setTimeout(
    () => fail(new Error(`${sent - answered} requests were never answered`)),
    seconds * 1000 + LAST_ANSWERS_WITHIN_MS,
  );
  await finished.finally(() => {
    clearInterval(pace);
    clearTimeout(giveUp);
    for (const connection of opened) connection.close();
  });

  const tookSeconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = latenciesMs.subarray(0, answered).sort();
  const quantile = (/** @type {number} */ q) => sorted[Math.min(answered - 1, Math.floor(answered * q))] ?? 0;
  return {
    answered,
    good,
    seconds: tookSeconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    cpuSeconds: (user + system) / 1e6,
  };
}

console.log(JSON.stringify(await load(JSON.parse(process.argv[2] ?? "{}"))));
