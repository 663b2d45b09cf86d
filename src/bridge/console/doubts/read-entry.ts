import { fromRecord } from "../../../commands-to-results/journal-rules/entry.ts";
import { decoder } from "../../../kafka/schema/codec.ts";
import { readSchema } from "../../../kafka/schema/schemas.ts";
import type { Incoming } from "../../../kafka/record.ts";
import type { CommandJournalEntry, CommandResult } from "../../../records.ts";
import type { Services } from "../../services.ts";

import { factsOf } from "./facts.ts";
import type { Facts, Readable } from "./key-history.ts";

type Read<T> = T | Promise<T>;

/** Reads records of the journal. Rejects, as promises do here, only while a schema cannot be asked for. */
export const entryReader = ({ registry, clock }: Pick<Services, "registry" | "clock">) => {
  const decodeEntry = decoder<CommandJournalEntry>(readSchema("command-journal-entry"), registry, clock.now);
  const decodeResult = decoder<CommandResult>(readSchema("command-result"), registry, clock.now);

  return {
    /** Null for a record that this build cannot fold. */
    entry: (record: Incoming): Read<Readable | null> => {
      const { partition, offset, timestampMs, value } = record;
      const key = record.key?.toString("utf8");
      if (value === null || key === undefined) return null;
      const read = (decoded: Awaited<ReturnType<typeof decodeEntry>>): Readable | null => {
        const entry = decoded.ok
          ? fromRecord(decoded.value, { key, ageMs: clock.now() - timestampMs })
          : null;
        return entry && { partition, offset, timestampMs, key, entry };
      };
      const decoded = decodeEntry(value);
      return decoded instanceof Promise ? decoded.then(read) : read(decoded);
    },
    /** What the result of a doubt says; null for any other entry, and where it cannot be read. */
    facts: ({ entry: { step } }: Readable): Read<Facts | null> => {
      if (step.kind !== "concluded" || step.outcome !== "IN_DOUBT") return null;
      const read = (decoded: Awaited<ReturnType<typeof decodeResult>>): Facts | null =>
        decoded.ok ? factsOf(decoded.value) : null;
      const decoded = decodeResult(step.result);
      return decoded instanceof Promise ? decoded.then(read) : read(decoded);
    },
  };
};
