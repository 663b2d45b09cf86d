import { explain } from "./terminal/failure.mjs";

/** 128 + signal number, as shells expect. @type {Record<string, number>} */
const EXIT_AFTER = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * @typedef {object} Scope
 * @property {(cleanup: () => Promise<void>) => void} defer runs a clean-up when the program ends, the last one first
 * @property {() => Promise<void>} stay resolves when a signal asks the program to end, which then exits with 0
 */

/**
 * Runs a program of this folder. A signal, an error and its own end all run the same clean-up. A second signal ends it at once; its
 * child processes end with it (child.mjs).
 * @param {(scope: Scope) => Promise<number>} main resolves with the exit code
 */
export async function program(main) {
  /** @type {(() => Promise<void>)[]} */
  const cleanups = [];
  let staying = false;
  /** @type {Promise<number>} */
  const asked = new Promise((resolve) => {
    let before = false;
    for (const [signal, exitCode] of Object.entries(EXIT_AFTER)) {
      process.on(signal, () => {
        if (before) process.exit(exitCode);
        before = true;
        resolve(staying ? 0 : exitCode);
      });
    }
  });
  const keepAlive = setInterval(() => {}, 60_000);
  const scope = {
    defer: (/** @type {() => Promise<void>} */ cleanup) => void cleanups.push(cleanup),
    stay: async () => {
      staying = true;
      await asked;
    },
  };
  let ending = false;
  const finished = main(scope).catch((/** @type {unknown} */ error) => {
    // An error after a signal is only a consequence of the clean-up.
    if (!ending) console.error(`\n${explain(error)}`);
    return 1;
  });
  const exitCode = await Promise.race([finished, asked]);
  ending = true;
  for (const cleanup of cleanups.reverse()) {
    await cleanup().catch((/** @type {unknown} */ error) => console.error(explain(error)));
  }
  clearInterval(keepAlive);
  process.exit(exitCode);
}
