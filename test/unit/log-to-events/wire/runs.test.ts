import { expect, test } from "vitest";
import { reconcileRuns, type ReconcileDeps } from "../../../../src/log-to-events/wire/runs.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { answer, at, NOW_MS } from "../world.ts";

test("a replica that is no longer the leader publishes nothing more", async () => {
  const cluster = {
    ranges: () => Promise.resolve({ ranges: new Map(), missing: new Set() }),
    close: () => Promise.resolve(),
  };
  const services = {
    config: {
      topics: { transactionStatus: "events" },
      partner: { failedWhen: [] },
      webhook: { maxBodyBytes: 1_000, maxInFlight: 4 },
      reconcile: { minAgeMs: 600_000 },
    },
    clock: { ...systemClock, now: () => NOW_MS },
    log: { info: () => undefined },
    traces: null,
    connectCluster: () => Promise.resolve(cluster),
  };
  const sent = Array.from({ length: 10 }, (_, n) => ({
    transactionId: `tx-${n}`,
    status: "CANCELED",
    createdAt: at(5),
  }));
  const published: string[] = [];
  const deps = {
    services,
    partner: { fetchLog: () => Promise.resolve(answer(sent)), mask: (text: string) => text },
    events: {
      window: { has: () => false },
      publishOnce: ({ transactionId }: { transactionId: string }) => {
        published.push(transactionId);
        return Promise.resolve({ kind: "published", event: { transactionId } });
      },
    },
    schemaId: 1,
  } as unknown as ReconcileDeps;
  const run = reconcileRuns(deps, () => {
    if (published.length >= 3) throw new Error("another replica may be the leader");
  });

  const period = { fromMs: NOW_MS - 86_400_000, toMs: NOW_MS };
  const report = await run({ period, dryRun: false, force: false }, new AbortController().signal);
  const reasons = ["another replica may be the leader"];
  expect(report).toMatchObject({ result: "failed", isWhole: false, published: 3, reasons });
  expect(published).toHaveLength(3);
});
