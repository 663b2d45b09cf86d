import { html, type Html } from "../../html/markup.ts";
import { facts } from "../../html/elements.ts";
import { block, code, count, inlineText } from "../../html/text.ts";
import { at, when } from "../../html/time.ts";
import { formatDuration } from "../../../runtime/duration.ts";
import { placeText } from "../../../runtime/record-position.ts";
import type { Doubt } from "../../ports.ts";

const OWNER_LOST = "OWNER_LOST";

const claimOf = ({ claim }: Doubt, nowMs: number): Html =>
  claim === null
    ? html`not known yet: the journal has not been read back to it`
    : html`${when(claim.atMs, nowMs)}. The call could begin for ${formatDuration(claim.callWithinMs)}, until
        ${at(claim.atMs + claim.callWithinMs)}.
        <span class="dim">${placeText(claim.place.topic, claim.place)}</span>`;

/** False where the last call is counted only because it may have left. */
export const isSureOfCalls = ({ error }: Doubt): boolean => error !== null && error.code !== OWNER_LOST;

const sentOf = (doubt: Doubt): Html => {
  const { attempts, error } = doubt;
  if (!isSureOfCalls(doubt))
    return error === null
      ? html`<strong>Not known:</strong> what came of the call has not been read; it may have left.`
      : html`<strong>Not known:</strong> the replica that was to make the call died; it may have left.`;
  return attempts === 0
    ? html`<strong>Not known.</strong> No call was counted, but whoever held the claim may have died after
        sending.`
    : html`<strong>Yes:</strong> ${count(attempts, "call")} left for the partner.`;
};

const answerOf = ({ httpStatus, error }: Doubt): Html => html`
  ${httpStatus === null ? html`<strong>None came.</strong>` : html`<strong>HTTP ${httpStatus}</strong>, which proves neither.`}
  ${error === null ? "" : html` ${code(error.code)}: ${inlineText(error.message, 1_000)}`}
`;

/** All that the journal holds about a doubt. */
export const doubtFacts = (doubt: Doubt, nowMs: number): Html => {
  const { operation, quoteId, atMs, place, response } = doubt;
  const asked =
    operation === "ACCEPT_QUOTE"
      ? html`to accept quote ${quoteId === null ? "(not named)" : code(quoteId)}: it buys currency and cannot
        be undone`
      : html`to create a quote: it moves no money by itself`;
  return html`${facts([
    ["It asked the partner", asked],
    ["Claimed", claimOf(doubt, nowMs)],
    ["Did bytes leave?", sentOf(doubt)],
    ["Last answer", answerOf(doubt)],
    ["In doubt since", html`${when(atMs, nowMs)}. <span class="dim">${placeText(place.topic, place)}</span>`],
  ])}
  ${
    response === null
      ? ""
      : html`<h3>The answer's text</h3>
          ${block(response, "The beginning of the partner's last answer")}`
  }`;
};

/** What the operator has to do, step by step. */
export const whatToDo = ({ operation, quoteId, claim, atMs }: Doubt): Html => {
  const isAccept = operation === "ACCEPT_QUOTE";
  return html`<ol class="steps-to-do">
    <li>
      <strong>Ask the partner</strong> whether
      ${isAccept ? html`quote ${quoteId === null ? "of this command" : code(quoteId)} was accepted` : "a quote was created for this command"},
      at about ${at(claim?.atMs ?? atMs)}. Their books count, not their last answer.
    </li>
    <li>
      <strong>Say here what is true.</strong> Until then
      ${isAccept ? "no other accept of this quote is sent, and the sender of the command waits." : "the sender of the command waits."}
    </li>
  </ol>`;
};
