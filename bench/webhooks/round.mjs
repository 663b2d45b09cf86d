import { join } from "node:path";
import { run } from "../../dev/run.mjs";
import { processFigures } from "../figures.mjs";
import { TARGET } from "../bridge.mjs";
import { recordsIn } from "../environment.mjs";

/** @typedef {import("./load.mjs").LoadFigures} LoadFigures */

/**
 * @typedef {object} Round
 * @property {string} server
 * @property {string} load what was asked of it, such as "64 connections"
 * @property {number} perSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number | null} cpuPerThousand seconds of processor time of the server for 1,000 answers
 * @property {number} loadCpuPerThousand the same of the load
 * @property {number | null} rssMb of the server at the end
 * @property {number} good answered with a 2xx
 * @property {number} other answered otherwise
 * @property {number} records that the topic grew by
 */

/**
 * @param {import("./programs.mjs").Server} server
 * @param {{ connections: number, seconds: number, perSecond: number | null }} load
 * @param {{ admin: import("kafkajs").Admin, projectFolder: string }} environment
 * @returns {Promise<Round>}
 */
export async function playRound(server, load, { admin, projectFolder }) {
  const recordsBefore = await recordsIn(admin, server.topic);
  const before = await processFigures(server.pid);
  const options = JSON.stringify({ ...load, port: server.port, target: TARGET });
  const output = await run(process.execPath, [join(projectFolder, "bench", "webhooks", "load.mjs"), options]);
  const after = await processFigures(server.pid);
  const records = (await recordsIn(admin, server.topic)) - recordsBefore;
  const figures = /** @type {LoadFigures} */ (JSON.parse(output));
  const { connections, perSecond } = load;
  return {
    server: server.name,
    load: perSecond === null ? `${connections} connections` : `${perSecond} a second`,
    perSecond: figures.answered / figures.seconds,
    p50Ms: figures.p50Ms,
    p99Ms: figures.p99Ms,
    cpuPerThousand:
      before && after && figures.answered > 0
        ? ((after.cpuSeconds - before.cpuSeconds) / figures.answered) * 1000
        : null,
    loadCpuPerThousand: (figures.cpuSeconds / figures.answered) * 1000,
    rssMb: after?.rssMb ?? null,
    good: figures.good,
    other: figures.answered - figures.good,
    records,
  };
}
