import { expect, test } from "vitest";
import { withPublishTimes, type Services } from "../../../src/services/services.ts";
import type { PublisherOptions } from "../../../src/kafka/produce/publisher.ts";
import { createMetrics } from "../../../src/ops/metrics.ts";

const options = { maxWaiting: 1, maxWaitingBytes: 2, sendTimeoutMs: 3, gatherMs: 4 };

test("a publisher's times become the histogram of its topic", async () => {
  let made: [string, Omit<PublisherOptions, "topic">] | undefined;
  const services = { publisher: (...of: typeof made & object) => void (made = of) } as unknown as Services;
  const metrics = createMetrics({
    publisherWaiting: () => ({}),
    kafkaUp: () => ({}),
    commandsLag: () => new Map(),
    commands: () => ({ unfinished: 0, inFlight: 0, doubts: 0, oldestDoubtSeconds: 0 }),
    reconcileLeader: null,
    paused: () => ({}),
  });
  withPublishTimes(services, metrics).publisher("results", options);
  expect(made?.[0]).toBe("results");
  expect(made?.[1]).toMatchObject(options);

  made?.[1].acknowledged?.(250);
  made?.[1].acknowledged?.(1_000);
  const { values } = await metrics.publishSeconds.get();
  const numbers = values.filter(({ metricName }) => !metricName?.endsWith("_bucket"));
  expect(numbers.map(({ labels, value }) => [labels, value])).toEqual([
    [{ topic: "results" }, 1.25],
    [{ topic: "results" }, 2],
  ]);
});
