import type { Entry } from "../entry.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Incoming } from "../../../kafka/record.ts";

type Ports = {
  /** Null if the record was not found. */
  reread: (partition: number, offset: number) => Promise<Incoming | null>;
  /** The first offset that the partition still holds. */
  startOf: (partition: number) => Promise<number>;
  entryOf: (record: Incoming) => Entry | null | "not yet";
};

/**
 * Reads an entry of the journal again. Null makes the view forget the entry, and a forgotten accept could be executed
 * again. So null is returned only if the log itself says that it begins later. Everything else rejects, and is tried
 * again.
 */
export const rereadEntry =
  ({ reread, startOf, entryOf }: Ports) =>
  async ({ partition, offset }: RecordPosition): Promise<Entry | null> => {
    const record = await reread(partition, offset);
    if (record === null) {
      if ((await startOf(partition)) > offset) return null;
      throw new Error(`entry ${partition}/${offset} is in the journal and was not found`);
    }
    const entry = entryOf(record);
    if (entry === null || entry === "not yet")
      throw new Error(`entry ${partition}/${offset} cannot be decoded now`);
    return entry;
  };
