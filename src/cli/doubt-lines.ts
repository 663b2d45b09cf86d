import { aboutDoubt, evidenceSentence, transactionSentence } from "../operate/doubts/about.ts";
import type { Doubt } from "../operate/doubts/doubts.ts";
import type { DoubtFacts, Transaction } from "../operate/doubts/facts.ts";
import type { Sentence } from "../operate/sentence.ts";
import type { Proposal } from "../operate/resolve/proposal.ts";
import { counted } from "../runtime/counted.ts";
import { iso, isoOrNull } from "../runtime/instant.ts";

export const textOf = (sentence: Sentence): string =>
  sentence
    .map((part) => {
      if (typeof part === "string") return part;
      if ("atMs" in part) return iso(part.atMs);
      // Quoted, because a person wrote it.
      if ("words" in part) return JSON.stringify(part.words);
      if ("page" in part) return `${part.title}: \`cambio-bridge ${part.command}\`.`;
      return "id" in part ? part.id : part.transactionId;
    })
    .join("");

export const factLines = (doubt: Doubt, facts: DoubtFacts): string[] => {
  const { commandId, response } = doubt;
  const { evidence, candidates, more, sinceMs, notes } = facts;
  return [
    ...(evidence.length === 0
      ? [
          `Evidence on ${commandId}: none. No event that was read names its quote or its externalId, which proves nothing.`,
        ]
      : evidence.map((one) => `EVIDENCE that ${commandId} was executed: ${textOf(evidenceSentence(one))}`)),
    ...aboutDoubt(doubt, facts).map(([name, text]) => `${name}: ${textOf(text)}`),
    ...(response === null ? [] : [`The answer's text: ${response.slice(0, 1_000)}`]),
    `${counted(candidates.length + more, "transaction")} began since ${iso(sinceMs)} that no other result names` +
      (candidates.length === 0 ? "." : ":"),
    ...candidates.map((one) => `  ${textOf(transactionSentence(one))}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...notes,
  ];
};

const transactionJson = ({ transactionId, firstStatus, lastStatus, firstAtMs }: Transaction): object => {
  return { transactionId, firstStatus, lastStatus, firstAt: isoOrNull(firstAtMs) };
};

export const factsJson = ({ evidence, candidates, ...facts }: DoubtFacts): object => {
  const { more: moreTransactions, isCut: transactionsCut, amount, counterpartyId, command, notes } = facts;
  const events = evidence.map((one) => ({
    kind: one.kind,
    ...transactionJson(one),
    ...(one.kind === "event" && { text: one.text }),
  }));
  const transactions = candidates.map(transactionJson);
  const all = { evidence: events, transactions, moreTransactions, transactionsCut };
  return { ...all, amount, counterpartyId, command, notes };
};

export const proposalText = ({ ref, request, by, note, untilMs }: Proposal): string => {
  const { commandId, quoteId, as, force, transactionId } = request;
  const outcome = as === "succeeded" ? "was executed" : "was not executed";
  return (
    `REF ${ref}: ${by} proposes that ${commandId} (quote ${quoteId ?? "-"}) ${outcome}` +
    `${transactionId === null ? "" : ` as transaction ${transactionId}`}${force ? ", with force" : ""}: ${note}\n` +
    `  Another person confirms it until ${iso(untilMs)}: cambio-bridge resolve --confirm ${ref} --as ${as} --by NAME`
  );
};

export const proposalJson = ({ ref, request, by, note, untilMs }: Proposal): object => {
  return { ref, ...request, by, note, until: iso(untilMs) };
};
