import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Two halves of 8 MB: what is under way at a full load fits into one of them, and dies there. V8 would take twice as much. */
const YOUNG_BYTES = 16 * 1_000_000;
const LOOK_EVERY_MS = 100;

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;

/**
 * Keeps V8 from taking memory only because there is some: it would let the old generation grow to several times what lives in it before it
 * looks for garbage. Costs a collection of some milliseconds, beside the main thread, every few seconds of full load.
 * Both settings are read by V8 whenever it collects, so that they need not be on the command line.
 */
export const boundHeap = (): void => {
  setFlagsFromString("--heap-growing-percent=30");
  const bound = (): void =>
    setFlagsFromString(`--semi-space-growth-factor=${youngBytes() < YOUNG_BYTES ? 2 : 1}`);
  bound();
  setInterval(bound, LOOK_EVERY_MS).unref();
};
