import type { Range } from "../../kafka/ranges.ts";
import type { Incoming } from "../../kafka/record.ts";
import { UsageError } from "../../runtime/errors.ts";
import { positionText } from "../../runtime/record-position.ts";
import { AUDIT_PARTITION, readAuditEntry, textOrEmpty, type Action } from "../audit/entry.ts";
import type { ToolServices } from "../tool-services.ts";
import { NOTHING, readTopic } from "../read-topic.ts";
import { PROPOSAL_MS, type ResolveRequest } from "./outcome.ts";

/** Tolerated skew between this machine's clock and the brokers'. */
const SKEW_MS = 3_600_000;

/** The audited action of a request. */
export const resolveAction = ({ commandId, ...parameters }: ResolveRequest, confirms?: string): Action => ({
  kind: "resolve",
  subject: commandId,
  parameters: { ...parameters, ...(confirms !== undefined && { confirms }) },
});

/**
 * Null for a record of the audit topic that proposes nothing. `ref`: how `--confirm` names it, partition/offset of its
 * record. Times are by Kafka's clock.
 */
const proposalOf = (record: Incoming) => {
  const entry = readAuditEntry(record.value);
  if (entry?.action !== "resolve" || entry.outcome?.["kind"] !== "proposed") return null;
  const { as, force } = entry.parameters;
  if (as !== "succeeded" && as !== "not-executed") return null;
  const { quoteId } = entry.outcome;
  const { transactionId } = entry.parameters;
  /** `quoteId` is that of the doubt. */
  const request: ResolveRequest = {
    commandId: entry.subject,
    quoteId: typeof quoteId === "string" ? quoteId : null,
    as,
    force: force === true,
    transactionId: textOrEmpty(transactionId) || null,
  };
  return {
    ref: positionText(record),
    request,
    by: entry.by,
    note: entry.note,
    atMs: record.timestampMs,
    untilMs: record.timestampMs + PROPOSAL_MS,
  };
};

/** Four eyes: what one person says of a doubt, waiting for another one. */
export type Proposal = NonNullable<ReturnType<typeof proposalOf>>;

/** The proposals of the last 24 hours, the oldest first, also of doubts that were ended since. For display. */
export const recentProposals = async (services: ToolServices, signal: AbortSignal): Promise<Proposal[]> => {
  const proposals: Proposal[] = [];
  const nowMs = services.clock.now();
  const reading = {
    topic: services.config.topics.audit,
    fromMs: nowMs - PROPOSAL_MS - SKEW_MS,
    isWhole: true,
  };
  const take = (record: Incoming): void => {
    const proposal = proposalOf(record);
    if (proposal) proposals.push(proposal);
  };
  await readTopic(services, reading, take, { signal });
  return proposals.filter(({ untilMs }) => untilMs > nowMs);
};

/** Reads the proposal of this name. Throws a UsageError where the audit topic holds none. */
export const findProposal = async (
  services: ToolServices,
  ref: string,
  signal: AbortSignal,
): Promise<Proposal> => {
  const { audit: topic } = services.config.topics;
  const none = new UsageError(
    `${topic} has no proposal ${ref}. Its REF, such as 0/4711, was shown when it was made.`,
  );
  const [, text] = /^0\/(\d{1,15})$/.exec(ref) ?? [];
  if (text === undefined) throw none;
  const offset = Number(text);
  const proposals: Proposal[] = [];
  const only = ({ startOffset, endOffset }: Range, partition: number): Range =>
    partition === AUDIT_PARTITION && offset >= startOffset && offset < endOffset
      ? { startOffset: offset, endOffset: offset + 1 }
      : NOTHING;
  const take = (record: Incoming): void => {
    const proposal = proposalOf(record);
    if (proposal) proposals.push(proposal);
  };
  await readTopic(services, { topic, narrow: only, isWhole: true }, take, { signal });
  const [proposal] = proposals;
  if (!proposal) throw none;
  return proposal;
};
