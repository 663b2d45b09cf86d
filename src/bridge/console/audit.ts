import type { Config } from "../../config/config.ts";
import type { AuditLine, Reading } from "../../console/ports.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { scan } from "../../kafka/consume/scan.ts";
import type { Services } from "../services.ts";
import { explainOutage } from "../outage.ts";
import { auditLine } from "./audit-line.ts";
import { rangesOf } from "./ranges.ts";
import { someAtOnce } from "./some-at-once.ts";

/** The topic has one. */
const PARTITION = 0;
const PAGE = 50;
const ANSWER_MS = 30_000;

/** The audit topic, for pages: each a stretch of its one partition, the newest entry first. */
export const auditReading = (
  config: Config,
  services: Services,
  cluster: Cluster,
): Pick<Reading, "audit"> => {
  const topic = config.topics.audit;
  const read = async (startOffset: number, endOffset: number, signal: AbortSignal): Promise<AuditLine[]> => {
    const lines: AuditLine[] = [];
    await scan(
      { topic, groupId: services.ownGroup("console"), sessionTimeoutMs: config.kafka.sessionTimeoutMs },
      (record) => {
        lines.push(auditLine(record));
        if (lines.length > PAGE) lines.shift();
      },
      { ...services, ranges: () => Promise.resolve(new Map([[PARTITION, { startOffset, endOffset }]])) },
      signal,
    );
    return lines;
  };
  const page: Reading["audit"] = async (before, signal) => {
    const { startOffset = 0, endOffset = 0 } = (await rangesOf(cluster, topic)).get(PARTITION) ?? {};
    const isOffset = before !== null && Number.isSafeInteger(before);
    let end = Math.max(startOffset, Math.min(isOffset ? before : endOffset, endOffset));
    // Where no record stands at any offset of a page, as between transactions, the next one is larger.
    for (let size = PAGE; end > startOffset; size *= 2) {
      const from = Math.max(startOffset, end - size);
      const lines = await read(from, end, signal);
      const oldest = lines.length === PAGE ? lines[0]?.place.offset : from;
      end = oldest ?? from;
      if (lines.length > 0) return { lines: lines.reverse(), next: end > startOffset ? end : null };
    }
    return { lines: [], next: null };
  };
  const inTurn = someAtOnce();
  return {
    audit: (before, signal) =>
      explainOutage(
        config,
        services.clock.withDeadline(ANSWER_MS, signal, (within) =>
          inTurn(within, () => page(before, within)),
        ),
        signal,
      ),
  };
};
