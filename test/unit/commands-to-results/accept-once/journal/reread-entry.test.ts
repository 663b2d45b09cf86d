import { expect, it } from "vitest";
import { rereadEntry } from "../../../../../src/commands-to-results/accept-once/journal/reread-entry.ts";
import type { Entry } from "../../../../../src/commands-to-results/accept-once/entry.ts";
import { NO_HEADERS } from "../../../../../src/kafka/headers.ts";
import type { Incoming } from "../../../../../src/kafka/record.ts";

const POSITION = { partition: 2, offset: 42 };
const record: Incoming = {
  topic: "j",
  ...POSITION,
  timestampMs: 0,
  key: null,
  value: null,
  headers: NO_HEADERS,
};
const entry: Entry = {
  operation: "ACCEPT_QUOTE",
  commandId: "c-1",
  step: { kind: "released", attemptId: "a-1" },
};

const ask = (found: Incoming | null, start: number, decoded: Entry | null | "not yet" = entry) =>
  rereadEntry({
    reread: () => Promise.resolve(found),
    startOf: () => Promise.resolve(start),
    entryOf: () => decoded,
  })(POSITION);

it("gives the entry that stands there", async () => {
  expect(await ask(record, 0)).toEqual(entry);
});

it("takes an entry for gone only when the log begins after it", async () => {
  expect(await ask(null, 43)).toBeNull();
  await expect(ask(null, 42)).rejects.toThrow("not found");
  await expect(ask(null, 0)).rejects.toThrow("not found");
});

it.each([null, "not yet"] as const)("does not forget what it cannot decode: %s", async (decoded) => {
  await expect(ask(record, 0, decoded)).rejects.toThrow("cannot be decoded");
});

it("does not forget when the log's beginning cannot be asked for", async () => {
  const asking = rereadEntry({
    reread: () => Promise.resolve(null),
    startOf: () => Promise.reject(new Error("no broker")),
    entryOf: () => entry,
  })(POSITION);
  await expect(asking).rejects.toThrow("no broker");
});
