import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { loadavg } from "node:os";
import { processFigures } from "../figures.mjs";

/** @typedef {import("./programs.mjs").Server} Server */
/** @typedef {import("./programs.mjs").Partner} Partner */
/** @typedef {import("./traffic.mjs").Traffic} Traffic */
/** @typedef {import("./traffic.mjs").Accept} Accept */

/**
 * @typedef {object} Load
 * @property {number} latencyMs the partner's
 * @property {number} inFlight
 * @property {number} keys 0: each command has a key of its own
 * @property {string} keepAlive PARTNER_KEEP_ALIVE; 0: each call has a connection of its own
 * @property {number} commands
 */

/**
 * @typedef {object} Round
 * @property {string} server
 * @property {Load} load
 * @property {number} perSecond
 * @property {number} share of the ideal rate, which latency and commands in flight allow
 * @property {number | null} cpuPerThousand seconds of processor time of the server for 1,000 commands
 * @property {number | null} rssMb at the end
 * @property {number} loadAverage
 * @property {string[]} wrong problems found
 */

const STALL_MS = 60_000;
const LOOK_EVERY_MS = 20;
let rounds = 0;

/** @param {Load} load @returns {Accept[]} */
const acceptsOf = ({ keys, commands }) => {
  rounds += 1;
  return Array.from({ length: commands }, (_, nth) => {
    const quoteId = `r${rounds}-${keys === 0 ? nth : nth % keys}-${nth}`;
    return { commandId: `c-${quoteId}`, quoteId, key: keys === 0 ? quoteId : `r${rounds}-${nth % keys}` };
  });
};

/** Every command called once and answered once, those of a key in order. @param {Accept[]} accepts @param {string[]} calls @param {Traffic} traffic */
function faultsOf(accepts, calls, { answers }) {
  const wrong = [];
  const called = new Set(calls);
  if (calls.length !== accepts.length || called.size !== accepts.length)
    wrong.push(`${calls.length} calls of ${called.size} quotes for ${accepts.length} commands`);
  const answered = accepts.map(({ commandId }) => answers.get(commandId));
  const good = answered.filter((answer) => answer?.outcome === "SUCCEEDED" && answer.times === 1).length;
  if (good !== accepts.length) wrong.push(`${good} of ${accepts.length} answered SUCCEEDED once`);
  /** @type {Map<string, number>} */
  const lastOf = new Map();
  let disorder = 0;
  for (const quoteId of calls) {
    const [, key = "", nth = ""] = quoteId.split("-");
    if (Number(nth) < (lastOf.get(key) ?? -1)) disorder += 1;
    lastOf.set(key, Number(nth));
  }
  if (disorder > 0) wrong.push(`${disorder} calls out of their key's order`);
  return wrong;
}

/** @param {Traffic} traffic @param {Accept[]} accepts */
async function untilAnswered({ answers }, accepts) {
  const before = answers.size;
  const ids = accepts.map(({ commandId }) => commandId);
  let seen = before;
  let since = performance.now();
  for (let next = 0; next < ids.length;) {
    if (answers.has(ids[next] ?? "")) {
      next += 1;
      continue;
    }
    await sleep(LOOK_EVERY_MS);
    if (answers.size > seen) since = performance.now();
    else if (performance.now() - since > STALL_MS) return;
    seen = answers.size;
  }
}

/**
 * Writes all commands at once; the rate is that between a tenth and nine tenths of the results.
 * @param {Server} server
 * @param {Load} load
 * @param {{ traffic: Traffic, partner: Partner }} by
 * @returns {Promise<Round>}
 */
export async function playRound(server, load, { traffic, partner }) {
  await partner.setLatency(load.latencyMs);
  await partner.calls();
  const accepts = acceptsOf(load);
  const before = await processFigures(server.pid);
  await traffic.send(accepts);
  await untilAnswered(traffic, accepts);
  const after = await processFigures(server.pid);
  const times = accepts
    .map(({ commandId }) => traffic.answers.get(commandId)?.at ?? NaN)
    .filter((at) => !Number.isNaN(at))
    .sort((a, b) => a - b);
  const [from, to] = [Math.floor(times.length * 0.1), Math.floor(times.length * 0.9)];
  const perSecond = ((to - from) / ((times[to] ?? NaN) - (times[from] ?? NaN))) * 1_000;
  const atOnce = Math.min(load.inFlight, load.keys || load.inFlight);
  return {
    server: server.name,
    load,
    perSecond,
    share: (perSecond * load.latencyMs) / 1_000 / atOnce,
    cpuPerThousand:
      before && after ? ((after.cpuSeconds - before.cpuSeconds) / accepts.length) * 1_000 : null,
    rssMb: after?.rssMb ?? null,
    loadAverage: loadavg()[0] ?? NaN,
    wrong: faultsOf(accepts, await partner.calls(), traffic),
  };
}

/**
 * Sends one command at a time: the time from before it is written until its result is seen, minus the partner's latency.
 * @param {Load} load
 * @param {{ traffic: Traffic, partner: Partner }} by
 * @returns {Promise<number[]>} added milliseconds
 */
export async function playIdle(load, { traffic, partner }) {
  await partner.setLatency(load.latencyMs);
  const added = [];
  for (const accept of acceptsOf({ ...load, keys: 0 })) {
    const seen = traffic.seen(accept.commandId);
    const startedAt = performance.now();
    await traffic.send([accept]);
    await seen;
    added.push(performance.now() - startedAt - load.latencyMs);
    // A random pause, so that client and server do not fall into step.
    await sleep(20 + Math.random() * 80);
  }
  await partner.calls();
  return added;
}
