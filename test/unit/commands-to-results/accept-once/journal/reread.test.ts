import { expect, it } from "vitest";
import { rereadEntries } from "../../../../../src/commands-to-results/accept-once/journal/reread.ts";
import type { Entry, JournalStep } from "../../../../../src/commands-to-results/accept-once/entry.ts";
import { NO_HEADERS } from "../../../../../src/kafka/headers.ts";
import type { Incoming } from "../../../../../src/kafka/record.ts";
import { claimed, concluded, released } from "../journal.ts";

const at = (offset: number, value = Buffer.from("value"), partition = 0): Incoming => ({
  ...{ topic: "j", partition, offset, timestampMs: 0 },
  ...{ key: null, value, headers: NO_HEADERS },
});
const entryOf = (step: JournalStep): Entry => ({ operation: "ACCEPT_QUOTE", commandId: "c-1", step });
const entry = entryOf(released("a-1"));

const source = {
  reread: () => Promise.resolve<Incoming | null>(at(42)),
  startOf: () => Promise.resolve(0),
  entryOf: (): Entry | null | "not yet" => entry,
};
const ask = (changes: Partial<typeof source>) => rereadEntries({ ...source, ...changes }).reread(at(42));
const gone = () => Promise.resolve(null);

it("gives the entry that stands there", async () => {
  expect(await ask({})).toEqual(entry);
});

it("takes an entry for gone only when the log begins after it", async () => {
  expect(await ask({ reread: gone, startOf: () => Promise.resolve(43) })).toBeNull();
  await expect(ask({ reread: gone, startOf: () => Promise.resolve(42) })).rejects.toThrow("not found");
  const unasked = ask({ reread: gone, startOf: () => Promise.reject(new Error("no broker")) });
  await expect(unasked).rejects.toThrow("no broker");
});

it.each([null, "not yet"] as const)("does not forget what it cannot decode: %s", async (decoded) => {
  await expect(ask({ entryOf: () => decoded })).rejects.toThrow("cannot be decoded");
});

/** Whether the record at each offset is kept, so that the log need not be asked. */
const keeping = () => {
  const entries = rereadEntries({ ...source, reread: () => Promise.reject(new Error("asks the log")) });
  const isKept = (record: Incoming): Promise<boolean> =>
    entries.reread(record).then(
      () => true,
      () => false,
    );
  return { ...entries, isKept };
};

it("keeps the last outcomes of commands, and claims, for the fold concludes those on a taken quote", async () => {
  const { keep, isKept } = keeping();
  for (let offset = 0; offset < 5_000; offset++) keep(at(offset), entryOf(concluded("a", "SUCCEEDED")));
  keep(at(5_000), entryOf(claimed("a")));
  keep(at(5_001), entry);
  keep(at(5_002, Buffer.alloc(524_288)), entryOf(concluded("a", "SUCCEEDED")));
  expect(await Promise.all([4_999, 5_000].map((offset) => isKept(at(offset))))).toEqual([true, true]);
  expect(
    await Promise.all([0, 5_001, 5_002].map((offset) => isKept(at(offset)))),
    "old, or of no use",
  ).toEqual([false, false, false]);
  expect(await isKept(at(4_999, undefined, 1)), "of another partition").toBe(false);
});

it("passes over what stands long before the end of its partition", async () => {
  const { begin, keep, isKept } = keeping();
  begin(new Map([[0, { startOffset: 0, endOffset: 1_000_000 }]]));
  for (const offset of [0, 999_999, 1_000_000]) keep(at(offset), entryOf(claimed("a")));
  const kept = await Promise.all([0, 999_999, 1_000_000].map((offset) => isKept(at(offset))));
  expect(kept).toEqual([false, true, true]);
});

it("keeps a copy: the record is a window on all that was fetched with it", async () => {
  let value = "";
  const entries = rereadEntries({ ...source, entryOf: (record) => ((value = String(record.value)), entry) });
  const record = at(0);
  entries.keep(record, entryOf(claimed("a")));
  record.value?.fill(0);
  await entries.reread(record);
  expect(value).toBe("value");
});
