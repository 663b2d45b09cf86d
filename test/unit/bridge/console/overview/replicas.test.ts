import { expect, it } from "vitest";
import { replicasOf } from "../../../../../src/bridge/console/overview/replicas.ts";

const member = (host: string, partitions: Record<string, number[]> = {}) => ({
  clientId: "bridge",
  host,
  partitions,
});

it("takes a member of both groups for one replica", () => {
  const replicas = replicasOf(
    {
      commands: {
        ...{ group: "g", state: "Stable", lag: 0, partitions: [] },
        members: [member("h2", { c: [2, 1] }), member("h1", { c: [0] }), member("h1")],
      },
      reconcile: {
        ...{ group: "g-reconcile", state: "Stable", leader: { clientId: "bridge", host: "h3" } },
        members: [member("h1"), member("h3", { e: [0] })],
      },
    },
    "c",
  );
  expect(replicas).toEqual([
    { clientId: "bridge", host: "h1", partitions: [0], isReconciling: false },
    { clientId: "bridge", host: "h1", partitions: [], isReconciling: false },
    { clientId: "bridge", host: "h2", partitions: [1, 2], isReconciling: false },
    { clientId: "bridge", host: "h3", partitions: [], isReconciling: true },
  ]);
});
