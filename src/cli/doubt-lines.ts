import type { Doubt } from "../operate/doubts/doubts.ts";
import type { DoubtFacts } from "../operate/doubts/facts.ts";
import type { DoubtEvidence, Transaction } from "../operate/doubts/transactions.ts";
import type { Proposal } from "../operate/resolve/proposal.ts";
import { counted } from "../runtime/counted.ts";
import { iso, isoOrNull } from "../runtime/instant.ts";

const statusText = ({ firstStatus, lastStatus, firstAtMs }: Transaction): string =>
  firstStatus === null || firstAtMs === null
    ? "the events topic holds no event of it since"
    : `${firstStatus} at ${iso(firstAtMs)}${lastStatus === firstStatus ? "" : `, now ${lastStatus}`}`;

const whyText = (evidence: DoubtEvidence): string =>
  evidence.kind === "answer"
    ? "the partner's answer to this very call names it"
    : `an event of it says ${evidence.text} at ${evidence.pointer}`;

const evidenceText = (evidence: DoubtEvidence): string =>
  `transaction ${evidence.transactionId}: ${whyText(evidence)}; ${statusText(evidence)}`;

const amountText = ({ amount }: DoubtFacts): string | null =>
  amount === null
    ? null
    : amount.from === "accept"
      ? amount.text
      : `${amount.text}, as the quote was created (${amount.currencies})`;

/** What is known of a doubt, for people, the evidence first. */
export const factLines = (doubt: Doubt, facts: DoubtFacts): string[] => {
  const { commandId, quoteId, externalId, claimedAtMs, httpStatus, error, response } = doubt;
  const { evidence, candidates, more, sinceMs, counterpartyId } = facts;
  const answer = httpStatus === null ? "none" : `HTTP ${httpStatus}, which proves neither`;
  const others = candidates.map((one) => `  transaction ${one.transactionId}: ${statusText(one)}`);
  return [
    ...(evidence.length === 0
      ? [`Evidence on ${commandId}: none. No event names its quote or its externalId, which proves nothing.`]
      : evidence.map((one) => `EVIDENCE that ${commandId} was executed: ${evidenceText(one)}`)),
    `quoteId ${quoteId ?? "-"}, externalId ${externalId ?? "-"}, amount ${amountText(facts) ?? "not known"}, ` +
      `counterpartyId ${counterpartyId ?? "not known"}, claimed at ${iso(claimedAtMs)}`,
    `Last answer: ${answer}${error === null ? "" : `; ${error.code}: ${error.message}`}`,
    ...(response === null ? [] : [`The answer's text: ${response.slice(0, 1_000)}`]),
    `${counted(others.length + more, "transaction")} began since ${iso(sinceMs)} that no other result names` +
      (others.length === 0 ? "." : ":"),
    ...others,
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...facts.notes,
  ];
};

const transactionJson = ({ transactionId, firstStatus, lastStatus, firstAtMs }: Transaction): object => ({
  transactionId,
  firstStatus,
  lastStatus,
  firstAt: isoOrNull(firstAtMs),
});

/** The same as JSON: `doubts --json` and the console show one set of facts. */
export const factsJson = ({ evidence, candidates, ...facts }: DoubtFacts): object => ({
  evidence: evidence.map((one) => ({
    kind: one.kind,
    ...transactionJson(one),
    ...(one.kind === "event" && { pointer: one.pointer, text: one.text }),
  })),
  transactions: candidates.map(transactionJson),
  moreTransactions: facts.more,
  transactionsCut: facts.isCut,
  amount: facts.amount,
  counterpartyId: facts.counterpartyId,
  command: facts.command,
  notes: facts.notes,
});

/** What waits for a second person. */
export const proposalText = ({ ref, asked, by, note, untilMs }: Proposal): string => {
  const { commandId, quoteId, as, force, transactionId } = asked;
  const outcome = as === "succeeded" ? "was executed" : "was not executed";
  return (
    `REF ${ref}: ${by} proposes that ${commandId} (quote ${quoteId ?? "-"}) ${outcome}` +
    `${transactionId === null ? "" : ` as transaction ${transactionId}`}${force ? ", with force" : ""}: ${note}\n` +
    `  Another person confirms it until ${iso(untilMs)}: cambio-bridge resolve --confirm ${ref} --as ${as} --by NAME`
  );
};

export const proposalJson = ({ ref, asked, by, note, untilMs }: Proposal): object => ({
  ref,
  ...asked,
  by,
  note,
  until: iso(untilMs),
});
