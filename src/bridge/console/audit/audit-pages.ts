import type { Config } from "../../../config/config.ts";
import type { AuditLine, Queries } from "../../../console/ports.ts";
import type { Cluster } from "../../../kafka/cluster/cluster.ts";
import { AUDIT_PARTITION } from "../../operator/follow-audit.ts";
import { scanRanges } from "../../scan-ranges.ts";
import type { Services } from "../../services.ts";
import { explainOutage } from "../../outage.ts";
import { auditLine } from "./audit-line.ts";
import { rangesOf } from "../ranges.ts";
import { limitConcurrency } from "../limit-concurrency.ts";

const PAGE = 50;
const ANSWER_MS = 30_000;

/** Reads the audit topic page by page, the newest entry first. */
export const auditQuery = (config: Config, services: Services, cluster: Cluster): Pick<Queries, "audit"> => {
  const topic = config.topics.audit;
  const read = async (startOffset: number, endOffset: number, signal: AbortSignal): Promise<AuditLine[]> => {
    const lines: AuditLine[] = [];
    const ranges = new Map([[AUDIT_PARTITION, { startOffset, endOffset }]]);
    await scanRanges({ services, signal }, { topic, purpose: "console", ranges }, (record) => {
      lines.push(auditLine(record));
      if (lines.length > PAGE) lines.shift();
    });
    return lines;
  };
  const page: Queries["audit"] = async (before, signal) => {
    const { startOffset = 0, endOffset = 0 } = (await rangesOf(cluster, topic)).get(AUDIT_PARTITION) ?? {};
    const isOffset = before !== null && Number.isSafeInteger(before);
    let end = Math.max(startOffset, Math.min(isOffset ? before : endOffset, endOffset));
    // Offsets may hold no records (compaction, transaction markers): an empty page is read again, larger.
    for (let size = PAGE; end > startOffset; size *= 2) {
      const from = Math.max(startOffset, end - size);
      const lines = await read(from, end, signal);
      const oldest = lines.length === PAGE ? lines[0]?.place.offset : from;
      end = oldest ?? from;
      if (lines.length > 0) return { lines: lines.reverse(), next: end > startOffset ? end : null };
    }
    return { lines: [], next: null };
  };
  const inTurn = limitConcurrency();
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
