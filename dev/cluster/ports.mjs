import { createServer } from "node:net";

// Linux hands out source ports from 32768 on: a port below can't be taken by a client's connection while its server is restarted.
const LOWEST = 20_000;
const HIGHEST = 32_767;
const TRIES = 200;

/** Ports given out by this process, so that two calls before the first listener is up don't get the same one. @type {Set<number>} */
const given = new Set();

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {Promise<boolean>} whether a server could listen there now
 */
export const isFree = (port, host = "127.0.0.1") =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

/**
 * @param {number} [preferred] taken when it is free
 * @returns {Promise<number>} a free TCP port on 127.0.0.1, given out once per process
 */
export async function freePort(preferred) {
  for (let tried = 0; tried < TRIES; tried++) {
    const random = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    const port = tried === 0 && preferred !== undefined ? preferred : random;
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free TCP port found between ${LOWEST} and ${HIGHEST}`);
}
