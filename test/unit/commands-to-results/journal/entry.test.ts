import { readFileSync } from "node:fs";
import avro from "avsc";
import { expect, it } from "vitest";
import type { Entry } from "../../../../src/commands-to-results/journal/entry.ts";
import { fromRecord, toRecord } from "../../../../src/commands-to-results/journal/entry.ts";
import type { CommandJournalEntry } from "../../../../src/records.ts";
import { claimed, concluded, published, released } from "./journal.ts";

const schema = JSON.parse(readFileSync("schemas/command-journal-entry.avsc", "utf8")) as avro.Schema;
const type = avro.Type.forSchema(schema, { wrapUnions: "auto" });

it.each([
  claimed("a"),
  claimed("a", { supersedes: "b" }),
  released("a"),
  concluded(null, "IN_DOUBT"),
  published(),
])("goes through Avro and back: $kind", (step) => {
  const entry: Entry = { operation: "ACCEPT_QUOTE", commandId: "c", step };
  const read = type.fromBuffer(type.toBuffer(toRecord(entry))) as CommandJournalEntry;
  expect(fromRecord(read)).toEqual(entry);
});

it("does not guess at another version", () => {
  const record = toRecord({ operation: "ACCEPT_QUOTE", commandId: "c", step: released("a") });
  expect(fromRecord({ ...record, version: 2 })).toBeNull();
});
