import type { Config } from "../../config/config.ts";
import type { Doubt } from "../../console/ports.ts";
import { whenKnown } from "../../runtime/when-known.ts";
import { scanRanges } from "../scan-ranges.ts";
import type { Services } from "../services.ts";
import { rangesOf } from "../topic-ranges.ts";
import { withCluster } from "../with-cluster.ts";
import { doubtFold } from "./doubt-fold.ts";
import { oldestWhereCut } from "./journal-progress.ts";
import { entryReader } from "./read-entry.ts";
import { sortedDoubts } from "./sorted-doubts.ts";

/** `unreadable`: records of the journal that this version cannot read. There may be a doubt in each. */
export type ListedDoubts = { doubts: readonly Doubt[]; unreadable: number };

/**
 * Reads the journal once, and gives its doubts, the oldest first.
 * @throws UsageError when there is no journal
 */
export const listDoubts = async (
  config: Config,
  services: Services,
  signal: AbortSignal,
): Promise<ListedDoubts> => {
  const topic = config.topics.journal;
  const ranges = await withCluster(services, (cluster) => rangesOf(cluster, topic));
  const fold = doubtFold();
  const reader = entryReader(services);
  const oldestMs = new Map<number, number>();
  let unreadable = 0;
  await scanRanges({ services, signal }, { topic, purpose: "doubts", ranges }, (record) => {
    if (!oldestMs.has(record.partition)) oldestMs.set(record.partition, record.timestampMs);
    return whenKnown(reader.entry(record), (entry) => {
      if (entry) return reader.addFacts(entry, fold.take(entry));
      unreadable += 1;
    });
  });
  fold.complete(oldestWhereCut(oldestMs, ranges));
  return { doubts: sortedDoubts(topic, () => fold).all(), unreadable };
};
