import { expect, it } from "vitest";
import { sharedCluster } from "../support/cluster.ts";
import { storm, violations } from "./storm/storm.ts";

const ACCEPTS = 1_500;
const IN_FLIGHT = 32;

it.each([
  { kills: 4, freezes: 0, replicas: 2 },
  { kills: 0, freezes: 1, replicas: 2 },
])("executes no accept twice and answers each one with $kills kills and $freezes freezes", async (faults) => {
  const report = await storm(
    sharedCluster(),
    { accepts: ACCEPTS, inFlight: IN_FLIGHT, partnerMs: 20, ...faults },
    console.log,
  );
  expect(violations(report), JSON.stringify(report)).toEqual([]);
  const { succeeded, inDoubt } = report.account;
  expect(inDoubt).toBeLessThanOrEqual(IN_FLIGHT * report.faults.length);
  if (faults.freezes === 0) expect(succeeded + inDoubt).toBe(ACCEPTS);
});
