import { aboutDoubt, evidenceSentence } from "../../operate/doubts/about.ts";
import type { Doubt } from "../../operate/doubts/doubts.ts";
import type { DoubtFacts } from "../../operate/doubts/facts.ts";
import { facts, notice, sentenceView, table, transactionLink } from "../html/elements.ts";
import { block, count, html, inlineText, timeText, type Html } from "../html/text.ts";

const MAX_ID = 80;

/** What says nearly for certain that the partner executed the call. It stands above everything else. */
export const evidenceView = ({ evidence, notes }: DoubtFacts, nowMs: number): Html => {
  const none = html`<p>${notes.length > 0 ? "Not everything could be read, and no" : "No"} event that was read names
    this quote or its externalId. That proves nothing.</p>`;
  const some = html`<section class="notice bad" aria-label="Evidence">
    <h2>The partner has probably executed it</h2>
    <ul>${evidence.map((one) => html`<li>${sentenceView(evidenceSentence(one), nowMs)}.</li>`)}</ul>
  </section>`;
  return html`${evidence.length === 0 ? none : some} ${notes.map((note) => notice("wait", inlineText(note, 1_000)))}`;
};

export const aboutView = (doubt: Doubt, doubtFacts: DoubtFacts | null, nowMs: number): Html =>
  html`<h2>What to tell the partner</h2>
    ${facts(aboutDoubt(doubt, doubtFacts).map(([name, text]) => [name, sentenceView(text, nowMs)] as const))}
    ${doubt.response && html`<h3>The answer's text</h3> ${block(doubt.response, 8_000)}`}`;

export const candidatesView = ({ candidates, more, isCut, sinceMs, untilMs }: DoubtFacts): Html => {
  const rows = candidates.map((transaction) => ({
    transaction: transactionLink(transaction.transactionId),
    "first event": timeText(transaction.firstAtMs),
    "first status": inlineText(transaction.firstStatus ?? "", MAX_ID),
    "last status": inlineText(transaction.lastStatus ?? "", MAX_ID),
  }));
  const further = more > 0 && `${count(more, "further one is", "further ones are")} not shown. `;
  const cut = isCut && "More transactions had events than can be compared: later ones are missing. ";
  return html`<h2>Transactions that began after the claim <small>and that no other result names</small></h2>
    ${table("Transactions that began after the claim", rows, "None is known.")}
    <p class="dim">${further}${cut}Looked for from ${timeText(sinceMs)} to ${timeText(untilMs)}. If one of them is of this
      quote, it was executed; that there is none proves nothing.</p>`;
};
