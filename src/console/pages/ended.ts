import type { Outcome } from "../forms/outcomes.ts";
import { html, type Html } from "../html/markup.ts";
import { commandPath } from "../html/paths.ts";
import { facts } from "../html/table.ts";
import { code, sentence, shown } from "../html/text.ts";
import { lasting } from "../html/time.ts";
import { refusalOf, type Asked, type Ended } from "../../operator/resolve.ts";

type Result = Extract<Ended, { kind: "resolved" }>["result"];

const resultFacts = ({ outcome, resultId, decidedBy }: Result, place: string): Html =>
  facts([
    ["Final result", html`<strong>${outcome}</strong>, decided by ${decidedBy}`],
    ["Result id", code(resultId)],
    ["Durable in the journal at", html`<strong>${code(place)}</strong>`],
  ]);

/** Somebody was faster: who, and what stands. */
const decided = (ended: Extract<Ended, { kind: "decided" }>): Html => {
  const { result, note, place } = ended;
  if (result === null)
    return html`<p>
      Another command holds its quote, so it is rejected: QUOTE_ALREADY_TAKEN (${code(place)}).
    </p>`;
  return html`<p>Your word came too late, and changed nothing. What stands:</p>
    ${resultFacts(result, place)}
    ${note === null ? "" : html`<p>With the word of an operator: “${shown(note, 1_000)}”</p>`}`;
};

const inWords = (asked: Asked, ended: Ended): Html => {
  if (ended.kind === "decided") return decided(ended);
  if (ended.kind === "tooYoung")
    return html`<p>
      The call began ${lasting(ended.ageMs)} ago, and might still be under way on a replica that is frozen.
      Wait until it is ${lasting(ended.neededMs)} old.
    </p>`;
  if (ended.kind === "several")
    return html`<p>The command is in doubt for several quotes: choose which of them you mean.</p>
      <ul>
        ${ended.quotes.map((quote) => html`<li>${code(quote)}</li>`)}
      </ul>`;
  return html`<p>${sentence(refusalOf(asked, ended) ?? "See the command's doubt for what is to come.")}</p>`;
};

const titleOf = ({ kind }: Ended): string => {
  if (kind === "decided") return "Somebody was faster";
  if (kind === "tooYoung") return "Too early: nothing was done";
  return "Nothing was decided";
};

/** What came of an operator's word, with the place where it stands. */
export const endedOutcome = (asked: Asked, ended: Ended, where: string): Outcome => {
  const about = facts([
    ["Command", html`<a href="${commandPath(asked.commandId)}">${code(asked.commandId)}</a>`],
    ...(asked.quoteId === null ? [] : [["Quote", code(asked.quoteId)] as const]),
  ]);
  const isDone = ended.kind === "resolved";
  return {
    kind: "shown",
    tone: isDone ? "good" : "warn",
    title: isDone ? "The doubt is ended" : titleOf(ended),
    show: () =>
      html`${about} ${isDone ? resultFacts(ended.result, ended.place) : inWords(asked, ended)}
        <p><a href="${where}">The doubt</a> · <a href="/doubts">All doubts</a></p>`,
  };
};
