import type { Outcome } from "../../forms/outcomes.ts";
import { html, type Html } from "../../html/markup.ts";
import { commandPath } from "../../html/paths.ts";
import { facts } from "../../html/elements.ts";
import { code, sentence, inlineText } from "../../html/text.ts";
import { at } from "../../html/time.ts";
import { DECISION_TEXT } from "./proposals.ts";
import { refusalOf, type ResolveRequest, type ResolveOutcome } from "../../../operator/resolve-outcome.ts";
import { formatDuration } from "../../../runtime/duration.ts";

type Result = Extract<ResolveOutcome, { kind: "resolved" }>["result"];

const resultFacts = (
  { outcome, resultId, decidedBy }: Result,
  place: string,
  published: string | null = null,
): Html =>
  facts([
    ["Final result", html`<strong>${outcome}</strong>, decided by ${decidedBy}`],
    ["Result id", code(resultId)],
    ["Final result at", published === null ? null : html`<strong>${code(published)}</strong>`],
    ["Durable in the journal at", html`<strong>${code(place)}</strong>`],
  ]);

/** The command was concluded before: the result that stands. */
const decided = (ended: Extract<ResolveOutcome, { kind: "decided" }>): Html => {
  const { result, note, place } = ended;
  if (result === null)
    return html`<p>
      Another command holds its quote, so it is rejected: QUOTE_ALREADY_TAKEN (${code(place)}).
    </p>`;
  return html`<p>Your decision came too late, and changed nothing. What stands:</p>
    ${resultFacts(result, place)}
    ${note === null ? "" : html`<p>The note of the operator who decided: “${inlineText(note, 1_000)}”</p>`}`;
};

type Proposed = Extract<ResolveOutcome, { kind: "proposed" }>;

const missing = (why: Proposed["why"]): Html => {
  switch (why.kind) {
    case "alone":
      return html`A second operator must say the same, here or on the command line.`;
    case "opposed":
      return html`<strong>${inlineText(why.by)}</strong> says that ${DECISION_TEXT[why.as]}. Both proposals
        stand, and one of you must say what the other says.`;
    case "tooYoung":
      return html`<strong>${inlineText(why.by)}</strong> says so as well, but the call began
        ${formatDuration(why.ageMs)} ago. One of you must say it again once it is
        ${formatDuration(why.neededMs)} old, or both must choose to end it now.`;
  }
};

/** Four eyes: the request is a proposal, and nothing is decided. */
const proposed = (asked: ResolveRequest, { why, place, untilMs, quoteId }: Proposed): Html =>
  html`<p>You say that <strong>${DECISION_TEXT[asked.as]}</strong>. ${missing(why)}</p>
    ${facts([
      ["About the quote", quoteId === null ? null : code(quoteId)],
      ["Your proposal stands at", html`<strong>${code(place)}</strong>`],
      ["It stands until", at(untilMs)],
    ])}`;

const inWords = (asked: ResolveRequest, ended: ResolveOutcome): Html => {
  if (ended.kind === "decided") return decided(ended);
  if (ended.kind === "proposed") return proposed(asked, ended);
  if (ended.kind === "tooYoung")
    return html`<p>
      The call began ${formatDuration(ended.ageMs)} ago, and might still be under way, on a replica that is
      frozen or at the partner. Wait until it is ${formatDuration(ended.neededMs)} old.
    </p>`;
  if (ended.kind === "several")
    return html`<p>The command is in doubt for several quotes: choose which of them you mean.</p>
      <ul>
        ${ended.quotes.map((quote) => html`<li>${code(quote)}</li>`)}
      </ul>`;
  return html`<p>${sentence(refusalOf(asked, ended) ?? "See the command's doubt for what is to come.")}</p>`;
};

const titleOf = ({ kind }: ResolveOutcome): string => {
  if (kind === "decided") return "Somebody was faster";
  if (kind === "proposed") return "It waits for a second operator";
  if (kind === "tooYoung") return "Too early: nothing was done";
  return "Nothing was decided";
};

/** The outcome of an operator's decision, with its place in the topics. */
export const describeOutcome = (asked: ResolveRequest, ended: ResolveOutcome, where: string): Outcome => {
  const about = facts([
    ["Command", html`<a href="${commandPath(asked.commandId)}">${code(asked.commandId)}</a>`],
    ["Quote", asked.quoteId === null ? null : code(asked.quoteId)],
  ]);
  const isDone = ended.kind === "resolved";
  return {
    kind: "shown",
    tone: isDone ? "good" : ended.kind === "proposed" ? "wait" : "warn",
    title: isDone ? "The doubt is ended" : titleOf(ended),
    show: () =>
      html`${about}
        ${isDone ? resultFacts(ended.result, ended.place, ended.published) : inWords(asked, ended)}
        <p><a href="${where}">The doubt</a> · <a href="/doubts">All doubts</a></p>`,
  };
};
