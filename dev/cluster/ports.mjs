import { createServer } from "node:net";

// Linux takes source ports of connections from 32768 up: a port below stays free while its server restarts.
const LOWEST = 20_000;
const HIGHEST = 32_767;
const TRIES = 200;

// Vitest runs test files side by side, each in a worker that knows only its own `taken`: each worker chooses from a slice of its own.
const SLICES = 32;
const SLICE = Math.floor((HIGHEST - LOWEST + 1) / SLICES);
const nthSlice = () => Number(process.env["VITEST_POOL_ID"] ?? 0) % SLICES;

/** Ports that this process has handed out: two calls before anything listens get different ones. @type {Set<number>} */
const taken = new Set();

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
 * @returns {Promise<number>} a free TCP port on 127.0.0.1, never the same one twice
 */
export async function freePort(preferred) {
  const lowest = LOWEST + nthSlice() * SLICE;
  for (let tried = 0; tried < TRIES; tried++) {
    const random = lowest + Math.floor(Math.random() * SLICE);
    const port = tried === 0 && preferred !== undefined ? preferred : random;
    if (taken.has(port)) continue;
    // Taken before it is looked at: another call may look meanwhile.
    taken.add(port);
    if (await isFree(port)) return port;
    taken.delete(port);
  }
  throw new Error(`no free TCP port found between ${lowest} and ${lowest + SLICE - 1}`);
}
