import { randomUUID } from "node:crypto";
import { audited, type Audited, type AuditEntry } from "../../operator/audit.ts";
import { AUDIT_CONTENT_TYPE, auditEvent } from "../../operator/audit-event.ts";
import type { Config } from "../../config/config.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Services } from "../services.ts";
import { bridgeSource } from "../source.ts";
import { withCluster } from "../with-cluster.ts";

const TIMEOUT_MS = 10_000;
const MAX_WAITING_BYTES = 16 * 1_048_576;

export type AuditTopic = { audited: Audited; close: () => Promise<void> };

/** Opens the audit topic for writing. Throws a UsageError if it does not exist. */
export const openAudit = async (
  config: Config,
  services: Services,
  warn: (sentence: string) => void,
  stopped?: AbortSignal,
): Promise<AuditTopic> => {
  const topic = config.topics.audit;
  const found = await withCluster(services, (cluster) => cluster.find([topic]));
  if (!found.has(topic))
    throw new UsageError(
      `Topic ${topic} does not exist, and nothing is done that cannot be written to it first: run \`cambio-bridge setup\`.`,
    );

  const publisher = services.publisher(topic, {
    maxWaiting: 1_000,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: TIMEOUT_MS,
  });
  const source = bridgeSource(config);
  const write = (entry: AuditEntry): Promise<RecordPosition> => {
    const event = auditEvent(entry, { id: randomUUID(), source, timeMs: services.clock.now() });
    const key = Buffer.from(entry.actionId);
    const headers = [["content-type", AUDIT_CONTENT_TYPE] as const];
    return publisher.publish({ key, value: Buffer.from(event), headers }, TIMEOUT_MS);
  };
  return {
    audited: audited({ write, newId: () => randomUUID(), warn, stopped }),
    close: () => publisher.close(TIMEOUT_MS),
  };
};
