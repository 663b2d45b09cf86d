import { describe, expect, it } from "vitest";
import { doubtFold } from "../../../../../src/bridge/console/doubts/doubt-fold.ts";
import { createRandom } from "../../../../simulation/random.ts";
import { randomLog, read, shown, truth } from "./journals.ts";

const seeds = (length: number, from = 0): number[] => Array.from({ length }, (_, at) => from + at);

describe("of any journal", () => {
  const expectTruth = (seed: number, releasesNothing: boolean): void => {
    const random = createRandom(seed);
    const log = randomLog(random, random.int(5, 150), releasesNothing);
    const { length } = log.entries;
    const borders = Array.from({ length: random.int(0, 12) }, () => random.int(0, length));

    const fold = read(log, { borders, followedFrom: length });
    expect(shown(fold)).toEqual(truth(log));

    const followedFrom = random.int(0, length);
    expect(shown(read(log, { borders, followedFrom })), `followed from ${followedFrom}`).toEqual(truth(log));
  };

  it.each(seeds(400))("seed %i", (seed) => {
    expectTruth(seed, false);
  });

  it.each(seeds(400))("in which attempts are released that held nothing, seed %i", (seed) => {
    expectTruth(seed, true);
  });

  it.each([13_173, 15_305])("with a doubt that is easily hidden while entries come, seed %i", (seed) => {
    expectTruth(seed, false);
  });

  it.each(seeds(200, 10_000))("hides no doubt that was read, seed %i", (seed) => {
    const random = createRandom(seed);
    const log = randomLog(random, random.int(5, 150));
    const { length } = log.entries;
    const borders = Array.from({ length: random.int(1, 8) }, () => random.int(0, length));
    const fold = doubtFold();
    const placeOf = (doubt: string): number => Number(doubt.split("@")[1]);
    // Before all is read, a doubt of one command may be taken for another's of the same quote.
    const keyOf = (doubt: string): string => doubt.split(" ")[0]!.replace(/^(c\d)-\d$/, "$1");
    read(
      log,
      {
        borders,
        followedFrom: length,
        look: (from) => {
          const mustBeThere = truth(log).filter((doubt) => placeOf(doubt) >= from);
          expect(shown(fold).map(keyOf)).toEqual(expect.arrayContaining(mustBeThere.map(keyOf)));
        },
      },
      fold,
    );
  });
});
