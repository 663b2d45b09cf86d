import { fromRecord } from "../../../commands-to-results/journal-rules/entry.ts";
import { decoder } from "../../../kafka/schema/codec.ts";
import { readSchema } from "../../../kafka/schema/schemas.ts";
import type { Incoming } from "../../../kafka/record.ts";
import type { CommandJournalEntry, CommandResult } from "../../../records.ts";
import { whenKnown } from "../../../runtime/when-known.ts";
import type { Services } from "../../services.ts";
import { factsOf } from "./describe-doubt.ts";
import type { Facts, ReadableRecord } from "./key-history.ts";

type Read<T> = T | Promise<T>;

/**
 * Reads records of the journal. Returns a promise only while a schema must be fetched, and rejects only when
 * that fails.
 */
export const entryReader = ({ registry, clock }: Pick<Services, "registry" | "clock">) => {
  const decodeEntry = decoder<CommandJournalEntry>(
    readSchema("command-journal-entry"),
    registry,
    clock.monotonic,
  );
  const decodeResult = decoder<CommandResult>(readSchema("command-result"), registry, clock.monotonic);

  return {
    /** Null for a record that this version cannot fold. */
    entry: (record: Incoming): Read<ReadableRecord | null> => {
      const { partition, offset, timestampMs, value } = record;
      const key = record.key?.toString("utf8");
      if (value === null || key === undefined) return null;
      const read = (decoded: Awaited<ReturnType<typeof decodeEntry>>): ReadableRecord | null => {
        const entry = decoded.ok
          ? fromRecord(decoded.value, { key, ageMs: clock.now() - timestampMs })
          : null;
        return entry && { partition, offset, timestampMs, key, entry };
      };
      return whenKnown(decodeEntry(value), read);
    },
    /** The facts of a doubt's result; null for any other entry, and where it cannot be read. */
    facts: ({ entry: { step } }: ReadableRecord): Read<Facts | null> => {
      if (step.kind !== "concluded" || step.outcome !== "IN_DOUBT") return null;
      const read = (decoded: Awaited<ReturnType<typeof decodeResult>>): Facts | null =>
        decoded.ok ? factsOf(decoded.value) : null;
      return whenKnown(decodeResult(step.result), read);
    },
  };
};
