import { expect, test } from "vitest";
import { newAccepts } from "../support/accepts.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";

const PARTNER_MS = 1_500;
/** All in one partition, one after the other. */
const ACCEPTS = newAccepts(10).map((accept) => ({ ...accept, key: "one" }));

test("the lag is that of the partition whose commands wait, and is gone when they are answered", async () => {
  const { replicas, accepts } = await commandsUnderFault({ replicas: 1, partnerMs: PARTNER_MS });
  const [replica] = replicas;
  /** Values by partition. */
  const lag = async (of: "records" | "seconds"): Promise<number[]> => {
    const text = await replica!.metrics();
    const values = text.matchAll(
      new RegExp(`^cambio_bridge_commands_lag_${of}\\{partition="\\d+"\\} (.*)$`, "gm"),
    );
    return [...values].map(([, value]) => Number(value));
  };
  await eventually(
    async () => (await lag("records")).length === 6,
    "every partition's end to be known",
    30_000,
  );
  expect(await lag("seconds")).toEqual([0, 0, 0, 0, 0, 0]);

  await accepts.submit(ACCEPTS);
  await eventually(
    async () => {
      expect((await lag("records")).filter((records) => records > 0)).toHaveLength(1);
      expect(Math.max(...(await lag("seconds")))).toBeGreaterThan(0.5);
    },
    "the lag of one partition",
    20_000,
  );
  await accepts.settle(60_000);
  expect(await lag("records")).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await lag("seconds")).toEqual([0, 0, 0, 0, 0, 0]);
}, 120_000);
