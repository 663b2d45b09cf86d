import { createReread } from "../../kafka/consume/reread.ts";
import type { Incoming } from "../../kafka/record.ts";
import { UsageError } from "../../runtime/errors.ts";
import { positionText, type RecordPosition } from "../../runtime/record-position.ts";
import type { Connections } from "../connections.ts";

/**
 * Reads single records of the audit topic. The timestamp of one that was just written is the time by Kafka's
 * clock: operators' machines may have any.
 */
export const auditReader = ({ config, services }: Connections) => {
  const { audit } = config.topics;
  const { reread, stop } = createReread(audit, services);
  const find = ({ partition, offset }: RecordPosition): Promise<Incoming | null> => reread(partition, offset);
  return {
    /** Null where the topic does not hold it. */
    find,
    /** Throws a UsageError where there is no such record. */
    at: async ({ partition, offset }: RecordPosition): Promise<Incoming> => {
      const record = await find({ partition, offset });
      if (record === null)
        throw new UsageError(`${audit} holds no record ${positionText({ partition, offset })}.`);
      return record;
    },
    close: stop,
  };
};
