import type { Doubt } from "../../operate/doubts/doubts.ts";
import type { DoubtFacts } from "../../operate/doubts/facts.ts";
import type { DoubtEvidence, Transaction } from "../../operate/doubts/transactions.ts";
import { facts, link, notice, pathTo, table } from "../html/elements.ts";
import { at, block, code, count, html, inlineText, when, type Cell, type Html } from "../html/text.ts";
import { callsOf } from "./doubts.ts";

const MAX_ID = 80;

const transactionLink = ({ transactionId }: Transaction): Html =>
  link(pathTo("/story", { id: transactionId }), code(transactionId, MAX_ID));

const statuses = ({ firstStatus, lastStatus, firstAtMs }: Transaction): Cell => {
  if (firstStatus === null || lastStatus === null || firstAtMs === null)
    return "The events topic holds no event of it since.";
  const last = lastStatus === firstStatus ? "" : html`, now ${inlineText(lastStatus, MAX_ID)}`;
  return html`${inlineText(firstStatus, MAX_ID)} ${at(firstAtMs)}${last}.`;
};

const evidenceLine = (evidence: DoubtEvidence): Html => {
  const why =
    evidence.kind === "answer"
      ? "The partner's answer to this very call names it."
      : html`An event of it says ${code(evidence.text, MAX_ID)} at ${code(evidence.pointer, MAX_ID)}.`;
  return html`<li><strong>Transaction ${transactionLink(evidence)}</strong>: ${why} ${statuses(evidence)}</li>`;
};

/** What says nearly for certain that the partner executed the call. It stands above everything else. */
export const evidenceView = ({ evidence, notes }: DoubtFacts): Html =>
  html`${
    evidence.length === 0
      ? html`<p>No event names this quote or its externalId. That proves nothing.</p>`
      : html`<section class="notice bad" aria-label="Evidence">
          <h2>The partner has probably executed it</h2>
          <ul>${evidence.map(evidenceLine)}</ul>
        </section>`
  }
  ${notes.map((note) => notice("wait", inlineText(note, 1_000)))}`;

const amountCell = ({ amount, command }: DoubtFacts): Cell => {
  if (amount === null)
    return command === null
      ? "not known: the topics hold neither the command nor the quote's creation"
      : "that of the quote, whose creation the topics do not hold";
  if (amount.from === "accept") return html`<strong>${code(amount.text)}</strong>`;
  return html`<strong>${code(amount.text)}</strong> as the quote was created (base/quoted currency
    ${code(amount.currencies)})`;
};

/** All that the call to the partner needs. */
export const aboutView = (doubt: Doubt, known: DoubtFacts | null, nowMs: number): Html => {
  const { operation, quoteId, externalId, claimedAtMs, sinceMs, place, response, httpStatus, error } = doubt;
  const isAccept = operation === "ACCEPT_QUOTE";
  const whenRead = (cell: (facts: DoubtFacts) => Cell): Cell | null => {
    if (!isAccept) return null;
    return known === null ? html`<span class="dim">being read</span>` : cell(known);
  };
  const answer = httpStatus === null ? "None came." : `HTTP ${httpStatus}, which proves neither.`;
  const why = error === null ? "" : html`${code(error.code)}: ${inlineText(error.message, 1_000)}`;
  const operationText = isAccept
    ? "to accept a quote: it buys currency and cannot be undone"
    : "to create a quote: it moves no money";
  return html`<h2>What to tell the partner</h2>
    ${facts([
      ["Asked", operationText],
      ["quoteId", quoteId === null ? null : code(quoteId)],
      ["externalId", externalId === null ? "none was given" : code(externalId)],
      ["Amount", whenRead(amountCell)],
      [
        "counterpartyId",
        whenRead(({ counterpartyId }) =>
          counterpartyId === null
            ? "not known: the command was not found in its topic"
            : code(counterpartyId),
        ),
      ],
      ["Claimed", when(claimedAtMs, nowMs)],
      ["The call", html`between then and ${at(sinceMs)}: <strong>${callsOf(doubt)}</strong>`],
      ["Last answer", html`<strong>${answer}</strong> ${why}`],
      ["In doubt since", html`${when(sinceMs, nowMs)} <span class="dim">${place}</span>`],
    ])}
    ${response === null ? "" : html`<h3>The answer's text</h3> ${block(response, 8_000)}`}`;
};

/** Transactions that may be what the partner made of the call. */
export const candidatesView = ({ candidates, more, isCut, sinceMs, untilMs }: DoubtFacts): Html => {
  const rows = candidates.map((transaction) => [
    transactionLink(transaction),
    transaction.firstAtMs === null ? "" : at(transaction.firstAtMs),
    inlineText(transaction.firstStatus ?? "", MAX_ID),
    inlineText(transaction.lastStatus ?? "", MAX_ID),
  ]);
  const columns = ["transaction", "first event", "first status", "last status"];
  const further = more > 0 ? `${count(more, "further one is", "further ones are")} not shown. ` : "";
  const cut = isCut ? "More transactions had events than can be compared: later ones are missing. " : "";
  return html`<h2>Transactions that began after the claim <small>and that no other result names</small></h2>
    ${table("Transactions that began after the claim", columns, rows, "None is known.").markup}
    <p class="dim">${further}${cut}Looked for from ${at(sinceMs)} to ${at(untilMs)}. If one of them is of this
      quote, it was executed; that there is none proves nothing.</p>`;
};
