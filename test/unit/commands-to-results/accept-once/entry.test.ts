import { readFileSync } from "node:fs";
import avro from "avsc";
import { expect, it } from "vitest";
import type { Entry } from "../../../../src/commands-to-results/accept-once/entry.ts";
import {
  readJournalRecord,
  JOURNAL_VERSION,
  toRecord,
  FIELDS_NOT_FOLDED,
} from "../../../../src/commands-to-results/accept-once/entry.ts";
import { decoder, encoder } from "../../../../src/kafka/schema/codec.ts";
import { readSchema, withoutFields } from "../../../../src/kafka/schema/schemas.ts";
import type { CommandJournalEntry } from "../../../../src/records.ts";
import { claimed, concluded, published, released } from "./journal.ts";

const schema = JSON.parse(readFileSync("schemas/command-journal-entry.avsc", "utf8")) as avro.Schema;
const type = avro.Type.forSchema(schema, { wrapUnions: "auto" });

const young = (key: string) => ({ key, ageMs: 0 });

const steps = [
  claimed("a"),
  claimed("a", { supersedes: "b", quoteId: "Q" }),
  released("a"),
  concluded(null, "IN_DOUBT"),
  published(),
];

it.each(steps)("goes through Avro and back: $kind", (step) => {
  const entry: Entry = { operation: "ACCEPT_QUOTE", commandId: "c", step };
  const read = type.fromBuffer(type.toBuffer(toRecord(entry))) as CommandJournalEntry;
  expect(readJournalRecord(read, young("quote"))).toEqual(entry);
});

it.each(steps)("is read as far as the fold needs it: $kind", async (step) => {
  const ours = readSchema("command-journal-entry");
  const registry = { writer: () => Promise.resolve(null) };
  const decode = decoder<CommandJournalEntry>(
    ours,
    { registry, clock: { monotonic: () => 0 } },
    { ownId: 7, readType: withoutFields(ours, FIELDS_NOT_FOLDED).type },
  );
  const bytes = encoder<CommandJournalEntry>(
    ours,
    7,
  )(toRecord({ operation: "ACCEPT_QUOTE", commandId: "c", step }));
  const decoded = await decode(bytes);
  if (!decoded.ok) throw new Error(decoded.detail);
  const unfolded: readonly string[] = Object.values(FIELDS_NOT_FOLDED).flat();
  const needed = Object.fromEntries(Object.entries(step).filter(([name]) => !unfolded.includes(name)));
  const read = readJournalRecord(decoded.value, young("quote"));
  expect(read).toEqual({ operation: "ACCEPT_QUOTE", commandId: "c", step: needed });
  expect(Object.keys(needed).length, "the fold still gets the rest").toBeGreaterThan(1);
});

const record = toRecord({ operation: "ACCEPT_QUOTE", commandId: "c", step: released("a") });

it("does not guess at another version", () => {
  for (const version of [0, JOURNAL_VERSION + 1])
    expect(readJournalRecord({ ...record, version }, young("quote"))).toBeNull();
});

it("folds what older versions wrote, where it stands under the key of today", () => {
  for (const version of [1, 2])
    expect(readJournalRecord({ ...record, version }, young("quote"))).not.toBeNull();
});

it("refuses an accept of today that stands under another key than it would today: it would not be found there", () => {
  expect(readJournalRecord({ ...record, version: 1 }, young("Quote"))).toBeNull();
  expect(readJournalRecord({ ...record, version: 2 }, young("quote/"))).toBeNull();
  expect(readJournalRecord({ ...record, version: 1 }, { key: "Quote", ageMs: 86_400_001 })).not.toBeNull();
  expect(
    readJournalRecord(record, young("Quote")),
    "what this version wrote is always folded",
  ).not.toBeNull();
  expect(
    readJournalRecord({ ...record, version: 1, operation: "CREATE_QUOTE" }, young("Quote")),
  ).not.toBeNull();
});
