import { expect, test } from "vitest";
import type { Kit } from "../../../src/bridge/kit.ts";
import { timedKit } from "../../../src/bridge/timed-kit.ts";
import { createMetrics } from "../../../src/ops/metrics.ts";

const bounds = { maxWaiting: 1, maxWaitingBytes: 1, sendTimeoutMs: 1 };
const record = { key: null, value: null, headers: {} };

test("a publisher tells how long each acknowledged record took, and nothing of those that were not", async () => {
  let nowMs = 0;
  const answers = [Promise.resolve({ partition: 0, offset: 7 }), Promise.reject(new Error("not written"))];
  const kit = {
    clock: { monotonic: () => nowMs },
    publisher: () => ({
      publish: () => {
        nowMs += 250;
        return answers.shift();
      },
    }),
  } as unknown as Kit;
  const metrics = createMetrics({
    publisherWaiting: () => ({}),
    kafkaUp: () => ({}),
    commands: () => ({ unfinished: 0, inFlight: 0, doubts: 0, oldestDoubtSeconds: 0 }),
  });
  const publisher = timedKit(kit, metrics).publisher("results", bounds);

  expect(await publisher.publish(record, 1)).toEqual({ partition: 0, offset: 7 });
  await expect(publisher.publish(record, 1)).rejects.toThrow("not written");

  const { values } = await metrics.publishSeconds.get();
  const numbers = values.filter(({ metricName }) => !metricName?.endsWith("_bucket"));
  expect(numbers.map(({ labels, value }) => [labels, value])).toEqual([
    [{ topic: "results" }, 0.25],
    [{ topic: "results" }, 1],
  ]);
});
