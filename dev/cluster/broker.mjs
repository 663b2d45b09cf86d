import { endChild } from "../child.mjs";
import { aliveBrokers, untilReady } from "./probe.mjs";

/** @typedef {import("../child.mjs").Child} Child */

/**
 * @typedef {object} Broker
 * @property {number} id
 * @property {string} host
 * @property {number} port
 * @property {number} pid of the Java process; another one after a new start
 * @property {() => Promise<void>} kill SIGKILL; resolves when the process is gone
 * @property {() => void} freeze SIGSTOP
 * @property {() => void} resume SIGCONT
 * @property {() => Promise<void>} stop an orderly shutdown: its leaders move away first
 * @property {() => Promise<void>} start starts it again on the same port and data; resolves when it answers and knows itself to be alive
 */

const READY_MS = 60_000;

/**
 * Launches a broker.
 * @param {{ id: number, port: number, launch: () => Promise<Child> }} options
 * @returns {Promise<Broker & { untilCountsIn: (brokers: number) => Promise<void> }>}
 *   untilCountsIn resolves when it answers and knows of at least so many living brokers
 */
export async function launchBroker({ id, port, launch }) {
  let child = await launch();

  /** @param {number} brokers */
  const untilCountsIn = (brokers) =>
    untilReady({
      what: `Kafka broker ${id} (port ${port})`,
      process: child,
      withinMs: READY_MS,
      attempt: async () => (await aliveBrokers(port)) >= brokers,
    });

  return {
    id,
    host: "127.0.0.1",
    port,
    get pid() {
      return child.pid;
    },
    kill: () => endChild(child, "SIGKILL"),
    freeze: () => child.signal("SIGSTOP"),
    resume: () => child.signal("SIGCONT"),
    stop: () => endChild(child, "SIGTERM"),
    start: async () => {
      if (child.isRunning()) throw new Error(`broker ${id} is running`);
      child = await launch();
      await untilCountsIn(1);
    },
    untilCountsIn,
  };
}
