import { expect, test } from "vitest";
import { askFlows } from "../../../../src/bridge/operator/status.ts";
import type { Cluster } from "../../../../src/kafka/cluster/cluster.ts";
import { configOf } from "../../config/environment.ts";

test("where no flow needs the commands topic, its absence is no failure", async () => {
  const cluster: Pick<Cluster, "find" | "group" | "ranges" | "committed"> = {
    find: () => Promise.resolve(new Map()),
    group: () => Promise.resolve({ state: "Dead", members: [] }),
    ranges: () => Promise.reject(new Error("This server does not host this topic-partition")),
    committed: () => Promise.reject(new Error("This server does not host this topic-partition")),
  };
  const flows = await askFlows(configOf({ FLOWS: "webhooks,reconcile" }), cluster as Cluster);
  expect(flows.commands).toMatchObject({ state: "Dead", members: [], lag: 0, partitions: [] });
});
