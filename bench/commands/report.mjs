import { fixed, quantile, table } from "../figures.mjs";

/** @typedef {import("./round.mjs").Round} Round */
/** @typedef {import("./round.mjs").Load} Load */
/** @typedef {{ server: string, latencyMs: number, keepAlive: string, added: number[] }} Idle */

/** @param {string} keepAlive */
const connections = (keepAlive) => (keepAlive === "0" ? "a connection each" : `kept alive ${keepAlive}`);

/** @param {Load} load */
const loadName = ({ latencyMs, inFlight, keys, keepAlive }) =>
  `${latencyMs} ms, ${inFlight} in flight, ${keys === 0 ? "a key each" : `${keys} keys`}, ${connections(keepAlive)}`;

/** @param {Round} round */
export const roundLine = ({ server, load, perSecond, share, loadAverage, wrong }) =>
  `  ${loadName(load).padEnd(53)} ${server.padEnd(10)} ${fixed(perSecond, 0).padStart(6)}/s` +
  `  ${fixed(share * 100, 0).padStart(3)} %  load ${fixed(loadAverage, 1)}  ${wrong.join("; ")}`;

/** @param {Round[]} rounds */
export const throughput = (rounds) =>
  table([
    ["load", "server", "commands/s", "of ideal", "of bare", "CPU s/1,000", "RSS MB", "load avg"],
    ...rounds.map(({ server, load, perSecond, share, cpuPerThousand, rssMb, loadAverage }) => {
      const bare = rounds.find((other) => other.load === load && other.server !== server);
      return [
        loadName(load),
        server,
        fixed(perSecond, 0),
        `${fixed(share * 100, 0)} %`,
        bare && server === "bridge" ? `${fixed((perSecond / bare.perSecond) * 100, 0)} %` : "–",
        fixed(cpuPerThousand, 2),
        fixed(rssMb, 0),
        fixed(loadAverage, 1),
      ];
    }),
  ]);

/** @param {Idle[]} idles */
export const idleLatency = (idles) =>
  table([
    ["one idle command, end to end", "server", "added p50 ms", "added p99 ms", "commands"],
    ...idles.map(({ server, latencyMs, keepAlive, added }) => [
      `over the partner's ${latencyMs} ms, ${connections(keepAlive)}`,
      server,
      fixed(quantile(added, 0.5), 1),
      fixed(quantile(added, 0.99), 1),
      String(added.length),
    ]),
  ]);
