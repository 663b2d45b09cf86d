import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Two halves of 8 MB: what is under way at a full load fits into one of them, and dies there. V8 would take twice as much. */
const YOUNG_BYTES = 16 * 1_000_000;
const LOOK_EVERY_MS = 100;

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;

/**
 * Keeps V8 from taking memory only because there is some: it would let the old generation grow to several times what lives in it before it
 * looks for garbage. Costs a collection of some milliseconds, beside the main thread, every few seconds of full load.
 * Both settings are read by V8 whenever it collects, so that they need not be on the command line. Newer versions of V8 than that of Node 20
 * heed the second one less; where that counts, start node with --max-semi-space-size=8, as the Dockerfile does.
 */
export const boundHeap = (): void => {
  setFlagsFromString("--heap-growing-percent=30");
  let factor = 0;
  const bound = (): void => {
    const wanted = youngBytes() < YOUNG_BYTES ? 2 : 1;
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  };
  bound();
  setInterval(bound, LOOK_EVERY_MS).unref();
};
