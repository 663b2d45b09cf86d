import { expect, test } from "vitest";
import { manualClock } from "../manual-clock.ts";
import { openSandbox } from "../open.ts";

test("the log is filtered by São Paulo's days, both included, and by event type", async () => {
  // 01:00 UTC on the 22nd is still the 21st in São Paulo.
  const clock = manualClock(Date.parse("2026-11-22T01:00:00Z"));
  const client = await openSandbox({ clock, walk: "still", webhookUrls: ["http://127.0.0.1:9/"] });
  const transaction = async (transactionId: string) =>
    client.control("POST", "transactions", { transactionId });
  await transaction("on-21");
  clock.advance(3 * 3_600_000);
  await transaction("on-22");
  const ids = async (query: string) =>
    ((await client.logs(query)).json as { transactionId: string }[]).map(
      ({ transactionId }) => transactionId,
    );
  expect(await ids("")).toEqual(["on-21", "on-22"]);
  expect(await ids("?startDate=2026-11-22")).toEqual(["on-22"]);
  expect(await ids("?endtDate=2026-11-21")).toEqual(["on-21"]);
  expect(await ids("?startDate=2026-11-21&endtDate=2026-11-22")).toEqual(["on-21", "on-22"]);
  expect(await ids("?eventType=TRANSACTION_STATUS_UPDATED")).toHaveLength(2);
  expect(await ids("?eventType=SOMETHING_ELSE")).toEqual([]);
});
