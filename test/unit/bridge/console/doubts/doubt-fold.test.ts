import { describe, expect, it } from "vitest";
import { doubtFold } from "../../../../../src/bridge/console/doubts/doubt-fold.ts";
import { createRandom } from "../../../../simulation/random.ts";
import {
  accept,
  claimed,
  concluded,
  createLog,
  released,
} from "../../../commands-to-results/journal-rules/journal.ts";
import { randomLog, read, shown, truth } from "./journals.ts";

const seeds = (length: number, from = 0): number[] => Array.from({ length }, (_, at) => from + at);

describe("of any journal", () => {
  const expectTruth = (seed: number, kind: Parameters<typeof randomLog>[2] = {}): void => {
    const random = createRandom(seed);
    const log = randomLog(random, random.int(5, 150), kind);
    const { length } = log.entries;
    const borders = Array.from({ length: random.int(0, 12) }, () => random.int(0, length));

    const fold = read(log, { borders, followedFrom: length });
    expect(shown(fold)).toEqual(truth(log));

    const followedFrom = random.int(0, length);
    expect(shown(read(log, { borders, followedFrom })), `followed from ${followedFrom}`).toEqual(truth(log));
  };

  it.each(seeds(400))("seed %i", (seed) => {
    expectTruth(seed);
  });

  it.each(seeds(400))("in which attempts are released that held nothing, seed %i", (seed) => {
    expectTruth(seed, { releasesNothing: true });
  });

  it.each(seeds(400))(
    "in which the broker appends claims late or again it hides no doubt, seed %i",
    (seed) => {
      const random = createRandom(seed);
      const log = randomLog(random, random.int(5, 150), {
        releasesNothing: seed % 2 === 0,
        copiesClaims: true,
      });
      const { length } = log.entries;
      const borders = Array.from({ length: random.int(0, 12) }, () => random.int(0, length));
      for (const followedFrom of [length, random.int(0, length)])
        expect(shown(read(log, { borders, followedFrom }))).toEqual(expect.arrayContaining(truth(log)));
    },
  );

  const late = [claimed("a1"), concluded("a1", "IN_DOUBT")];
  it.each([
    ["again", [claimed("a1"), released("a1"), ...late]],
    ["late", [released("a1"), ...late]],
  ])("whose claim the broker appends %s, behind its release", (_, steps) => {
    const log = createLog();
    for (const step of steps) log.append(accept("c1", "q1"), step);
    const { length } = log.entries;
    const doubt = [`c1 a1 @${length - 1}`];
    expect(truth(log)).toEqual(doubt);
    for (let followedFrom = 0; followedFrom <= length; followedFrom++)
      for (let border = 0; border < length; border++)
        expect(shown(read(log, { borders: [border], followedFrom }))).toEqual(doubt);
  });

  it.each([13_173, 15_305])("with a doubt that is easily hidden while entries come, seed %i", (seed) => {
    expectTruth(seed);
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
