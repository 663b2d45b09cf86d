import type { Incoming } from "../../kafka/record.ts";
import { UsageError } from "../../runtime/errors.ts";
import { positionText } from "../../runtime/record-position.ts";
import { auditReading, readAuditEntry, textOrEmpty, type Action } from "../audit/entry.ts";
import { collect } from "../read-topic.ts";
import type { Tools } from "../tools.ts";
import { PROPOSAL_MS, type ResolveRequest } from "./outcome.ts";

export const resolveAction = ({ commandId, ...parameters }: ResolveRequest, confirms?: string): Action => ({
  kind: "resolve",
  subject: commandId,
  parameters: { ...parameters, ...(confirms !== undefined && { confirms }) },
});

/** Null for an entry that proposes nothing. `ref` is how `--confirm` names it. Times are by Kafka's clock. */
const proposalOf = (record: Incoming) => {
  const entry = readAuditEntry(record);
  if (entry?.action !== "resolve" || entry.outcome?.["kind"] !== "proposed") return null;
  const { as, force, transactionId } = entry.parameters;
  if (as !== "succeeded" && as !== "not-executed") return null;
  const request: ResolveRequest = {
    commandId: entry.subject,
    quoteId: textOrEmpty(entry.outcome["quoteId"]) || null,
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

export type Proposal = NonNullable<ReturnType<typeof proposalOf>>;

const readProposals = (tools: Tools): Promise<Proposal[]> =>
  collect(tools, auditReading(tools, tools.clock.now() - 2 * PROPOSAL_MS), proposalOf);

/** The proposals of the last 24 hours, the oldest first, also of doubts that were ended since. For display. */
export const recentProposals = async (tools: Tools): Promise<Proposal[]> =>
  (await readProposals(tools)).filter(({ untilMs }) => untilMs > tools.clock.now());

export const findProposal = async (tools: Tools, ref: string): Promise<Proposal> => {
  const proposal = (await readProposals(tools)).find((one) => one.ref === ref);
  if (proposal) return proposal;
  const { audit } = tools.config.topics;
  throw new UsageError(`${audit} has no proposal ${ref} of the last two days: see \`cambio-bridge doubts\`.`);
};
