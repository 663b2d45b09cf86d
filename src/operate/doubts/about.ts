import { counted } from "../../runtime/counted.ts";
import type { Doubt } from "./doubts.ts";
import type { DoubtFacts } from "./facts.ts";
import type { DoubtEvidence, Transaction } from "./transactions.ts";

/** A part of a sentence: text, or something that each output writes in its own form. */
export type Piece = string | { id: string } | { transactionId: string } | { atMs: number };
export type Sentence = readonly Piece[];

/** What the events say of a transaction. */
const statusOf = ({ firstStatus, lastStatus, firstAtMs }: Transaction): Sentence => {
  if (firstStatus === null || firstAtMs === null)
    return ["the events topic holds no event of it since the claim"];
  const later = lastStatus === null || lastStatus === firstStatus ? [] : [", now ", { id: lastStatus }];
  return [{ id: firstStatus }, " at ", { atMs: firstAtMs }, ...later];
};

/** Why a transaction is nearly for certain what the partner made of the call. */
export const evidenceSentence = (evidence: DoubtEvidence): Sentence => [
  "transaction ",
  { transactionId: evidence.transactionId },
  ": ",
  ...(evidence.kind === "answer"
    ? ["the partner's answer to this very call names it"]
    : ["an event of it says ", { id: evidence.text }, " at ", { id: evidence.pointer }]),
  "; ",
  ...statusOf(evidence),
];

export const candidateSentence = (transaction: Transaction): Sentence => [
  "transaction ",
  { transactionId: transaction.transactionId },
  ": ",
  ...statusOf(transaction),
];

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
  const { operation, quoteId, externalId, claimedAtMs, sinceMs, place, httpStatus, error } = doubt;
  const ofAccept = (sentence: (known: DoubtFacts) => Sentence): Sentence =>
    facts === null ? ["being read"] : sentence(facts);
  const counterparty = ({ counterpartyId }: DoubtFacts): Sentence =>
    counterpartyId === null
      ? ["not known: the command was not found in its topic"]
      : [{ id: counterpartyId }];
  const answer =
    httpStatus === null
      ? "none"
      : `HTTP ${httpStatus}, which proves neither that it was executed nor that it was not`;
  const fault: Sentence = error === null ? [] : ["; ", { id: error.code }, `: ${error.message}`];
  const isAccept = operation === "ACCEPT_QUOTE";
  return [
    [
      "It asks",
      isAccept ? ["to accept a quote: it buys currency, for good"] : ["to create a quote: no money moves"],
    ],
    ...(quoteId === null ? [] : [["quoteId", [{ id: quoteId }]] as const]),
    ["externalId", externalId === null ? ["none was given"] : [{ id: externalId }]],
    ...(isAccept
      ? ([
          ["Amount", ofAccept(amountOf)],
          ["counterpartyId", ofAccept(counterparty)],
        ] as const)
      : []),
    ["The call was claimed", [{ atMs: claimedAtMs }]],
    ["Calls", [callsOf(doubt)]],
    ["Last answer", [answer, ...fault]],
    ["In doubt since", [{ atMs: sinceMs }, ` (${place})`]],
  ];
};
