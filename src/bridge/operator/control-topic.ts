import type { Config } from "../../config/config.ts";
import type { PausePorts } from "../../operator/pause.ts";
import { writeControlEntry, type Pausable, type ControlEntry } from "../../operator/control-entry.ts";
import { applyControlRecord } from "../../operator/control-fold.ts";
import { placeText } from "../../runtime/record-position.ts";
import { scanRanges } from "../scan-ranges.ts";
import type { Services } from "../services.ts";
import { noSuchTopic, withCluster } from "../with-cluster.ts";

const TIMEOUT_MS = 10_000;
const READ_MS = 20_000;

/** The control topic, read to its end and written once by a tool. */
export const controlTopic = (
  config: Config,
  services: Services,
  warn: (sentence: string) => void,
): Pick<PausePorts, "entries" | "write"> => {
  const topic = config.topics.control;

  const entries = async () => {
    const found = new Map<Pausable, ControlEntry>();
    await withCluster(services, async (cluster) => {
      if (!(await cluster.find([topic])).has(topic)) throw noSuchTopic(topic);
      await services.clock.withDeadline(READ_MS, undefined, async (signal) =>
        scanRanges(
          { services, signal },
          { topic, purpose: "control", ranges: await cluster.ranges(topic) },
          (record) =>
            applyControlRecord(found, record, (detail) =>
              warn(`${placeText(topic, record)} cannot be read: ${detail}.`),
            ),
        ),
      );
    });
    return found;
  };

  const write = async (entry: ControlEntry): Promise<string> => {
    const publisher = services.publisher(topic, {
      maxWaiting: 1,
      maxWaitingBytes: 1_048_576,
      sendTimeoutMs: TIMEOUT_MS,
    });
    try {
      const { key, value } = writeControlEntry(entry);
      const record = { key: Buffer.from(key), value: Buffer.from(value), headers: [] };
      return placeText(topic, await publisher.publish(record, TIMEOUT_MS));
    } finally {
      await publisher.close(0);
    }
  };

  return { entries, write };
};
