import { expect, onTestFinished, test } from "vitest";
import { openOverview } from "../../../../../src/bridge/console/overview/overview.ts";
import type { Services } from "../../../../../src/bridge/services.ts";
import { silent } from "../../../../../src/cli/silent.ts";
import type { Config } from "../../../../../src/config/config.ts";
import { systemClock } from "../../../../../src/runtime/clock.ts";
import { ownReader } from "../../../kafka/consume/fake-kafka.ts";

test("without an answer of Kafka everything is not known", () => {
  const away = (): Promise<never> => Promise.reject(new Error("away"));
  const services = {
    ...{ clock: systemClock, log: silent, random: () => 0, ownReader },
    createCluster: () => ({ ranges: away, offsetsAt: away, committed: away, close: () => Promise.resolve() }),
  } as unknown as Services;
  const config = { topics: {} } as Config;
  const { overview, close } = openOverview(config, services, () => undefined);
  onTestFinished(close);
  expect(overview()).toMatchObject({
    ...{ pauses: null, replicas: null, lag: { records: null }, deadLetters: { records: null } },
  });
});
