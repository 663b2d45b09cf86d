import { counted } from "../../runtime/counted.ts";
import type { Sentence } from "../sentence.ts";
import type { Doubt } from "./doubts.ts";
import type { DoubtEvidence, DoubtFacts, Transaction } from "./facts.ts";

/** What the events say of a transaction. @param why it may be that of the doubt */
export const transactionSentence = (transaction: Transaction, why: Sentence = []): Sentence => {
  const { transactionId, firstStatus, lastStatus, firstAtMs } = transaction;
  const about = ["transaction ", { transactionId }, ": ", ...why];
  if (firstStatus === null || firstAtMs === null)
    return [...about, "the events topic holds no event of it since the claim"];
  const later = lastStatus === null || lastStatus === firstStatus ? [] : [", now ", { id: lastStatus }];
  return [...about, { id: firstStatus }, " at ", { atMs: firstAtMs }, ...later];
};

export const evidenceSentence = (evidence: DoubtEvidence): Sentence =>
  transactionSentence(
    evidence,
    evidence.kind === "answer"
      ? ["the partner's answer to this very call names it; "]
      : ["an event of it says ", { id: evidence.text }, "; "],
  );

/** How many calls left for the partner. After its owner died the last one is counted only because it may have left. */
export const callsOf = ({ error, attempts }: Doubt): string =>
  error !== null && error.code !== "OWNER_LOST" && attempts > 0
    ? `${counted(attempts, "call")} sent`
    : "may have been sent";

const amountOf = ({ amount, command }: DoubtFacts): Sentence => {
  if (amount?.from === "accept") return [{ id: amount.text }];
  if (amount) return [{ id: amount.text }, " as the quote was created, in ", { id: amount.currencies }];
  return command === null
    ? ["not known: the topics hold neither the command nor the quote's creation"]
    : ["that of the quote, whose creation the topics do not hold"];
};

/** All that the call to the partner needs, by name. @param facts null while they are being read */
export const aboutDoubt = (
  doubt: Doubt,
  facts: DoubtFacts | null,
): readonly (readonly [name: string, text: Sentence])[] => {
  const { quoteId, externalId, claimedAtMs, sinceMs, place, httpStatus, error } = doubt;
  const counterpartyId = facts?.counterpartyId ?? null;
  const counterparty: Sentence =
    counterpartyId === null
      ? ["not known: the command was not found in its topic"]
      : [{ id: counterpartyId }];
  const answer =
    httpStatus === null
      ? "none"
      : `HTTP ${httpStatus}, which proves neither that it was executed nor that it was not`;
  const fault: Sentence = error === null ? [] : ["; ", { id: error.code }, `: ${error.message}`];
  return [
    ["It asks", ["to accept a quote: it buys currency, for good"]],
    ["quoteId", [{ id: quoteId }]],
    ["externalId", externalId === null ? ["none was given"] : [{ id: externalId }]],
    ["Amount", facts === null ? ["being read"] : amountOf(facts)],
    ["counterpartyId", facts === null ? ["being read"] : counterparty],
    ["The call was claimed", [{ atMs: claimedAtMs }]],
    ["Calls", [callsOf(doubt)]],
    ["Last answer", [answer, ...fault]],
    ["In doubt since", [{ atMs: sinceMs }, ` (${place})`]],
  ];
};
