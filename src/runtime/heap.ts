import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Two halves of 8 MB: what is under way at a full load fits into one of them, and dies there. V8 would take twice as much. */
const YOUNG_BYTES = 16 * 1_000_000;
const LOOK_EVERY_MS = 100;

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;

/**
 * Keeps V8 from taking memory only because there is some: it would let the old generation grow to several times what lives in it before it
 * looks for garbage. Read whenever V8 collects, so that it need not be on the command line.
 * @param percent how much may be added to what lives before it is looked through: less memory for more processor time
 */
export const boundOldObjects = (percent: number): void =>
  setFlagsFromString(`--heap-growing-percent=${percent}`);

/**
 * Keeps the room for young objects small. Read whenever V8 collects as well; newer versions of V8 than that of Node 20 heed it less: where that
 * counts, start node with --max-semi-space-size=8, as the Dockerfile does.
 */
export const boundYoungObjects = (): void => {
  let factor = 0;
  const bound = (): void => {
    const wanted = youngBytes() < YOUNG_BYTES ? 2 : 1;
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  };
  bound();
  setInterval(bound, LOOK_EVERY_MS).unref();
};
