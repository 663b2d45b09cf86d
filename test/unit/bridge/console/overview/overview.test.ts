import { expect, onTestFinished, test } from "vitest";
import { openOverview } from "../../../../../src/bridge/console/overview/overview.ts";
import type { Kit } from "../../../../../src/bridge/kit.ts";
import { silent } from "../../../../../src/cli/silent.ts";
import type { Config } from "../../../../../src/config/config.ts";
import { systemClock } from "../../../../../src/runtime/clock.ts";

test("without an answer of Kafka everything is not known", () => {
  const away = (): Promise<never> => Promise.reject(new Error("away"));
  const kit = {
    ...{ clock: systemClock, log: silent, random: () => 0, ownGroup: () => "own" },
    createCluster: () => ({ ranges: away, offsetsAt: away, committed: away, close: () => Promise.resolve() }),
  } as unknown as Kit;
  const config = { kafka: {}, topics: {} } as Config;
  const { overview, close } = openOverview(config, kit);
  onTestFinished(close);
  expect(overview()).toMatchObject({
    ...{ pauses: null, replicas: null, lag: { records: null }, deadLetters: { records: null } },
  });
});
