import { isSamePerson } from "../../operate/actor.ts";
import type { Doubt } from "../../operate/doubts/doubts.ts";
import { NOT_EXECUTED_RISK } from "../../operate/resolve/outcome.ts";
import type { Proposal } from "../../operate/resolve/proposal.ts";
import { canAct, noteField, taskField } from "../act.ts";
import { hidden } from "../html/elements.ts";
import { at, code, html, inlineText, when, type Html } from "../html/text.ts";
import type { ConsoleContext } from "../site.ts";

/** What was sent before, and why nothing was done. `endableAtMs`: by Kafka's clock. */
export type Before = { form: URLSearchParams; problem: Html; endableAtMs?: number };

/** A radio button or a checkbox with its explanation. */
const choice = (
  type: string,
  name: string,
  value: string,
  label: string,
  hint: string,
  isGiven: boolean,
): Html => {
  const id = `${name}-${value}`;
  const state = html`${type === "radio" ? "required" : ""} ${isGiven ? "checked" : ""}`;
  return html`<p class="choice">
    <input type="${type}" id="${id}" name="${name}" value="${value}" aria-describedby="${id}-hint" ${state} />
    <label for="${id}">${label}</label>
    <span class="hint" id="${id}-hint">${hint}</span>
  </p>`;
};

const FORCE =
  "Only when you are certain that no replica of that time still runs. With “not executed” the same quote could be bought twice.";

/** When it can be ended: the only sentence on the page about it. */
const time = (endableAtMs: number, nowMs: number, isForced: boolean): Html =>
  endableAtMs <= nowMs
    ? html`<p>It can be ended now.</p>`
    : html`<div class="notice wait">
        <p><strong>It can be ended at ${when(endableAtMs, nowMs)}.</strong> Until then a replica that stood
          still could make the call, or the partner could still hold it.</p>
        ${choice("checkbox", "force", "yes", "End it now all the same", FORCE, isForced)}
      </div>`;

const fieldsOf = ({ commandId, quoteId }: Doubt): Html =>
  html`${taskField()} ${hidden("command", commandId)} ${hidden("quote", quoteId ?? "")}`;

/** Four eyes: what one person says, and the button for another one. */
const proposalView = (context: ConsoleContext, doubt: Doubt, proposal: Proposal): Html => {
  const { ref, asked, by, note, atMs, untilMs } = proposal;
  const { person } = context.var;
  const button = html`${fieldsOf(doubt)} ${hidden("ref", ref)}
    <p><button class="main">Confirm, and end the doubt</button></p>`;
  const own = person !== null && isSamePerson(person.name, by);
  return html`<form method="post" action="/confirm" class="panel">
    <h2>${inlineText(by)} proposes: it was ${asked.as === "succeeded" ? "executed" : "not executed"}</h2>
    <p>${inlineText(note, 1_000)}
      <span class="dim">REF ${ref}, ${at(atMs)}; it can be confirmed until ${at(untilMs)}.</span></p>
    ${asked.force ? html`<p><strong>It is to be ended before its time.</strong></p>` : ""}
    ${asked.as === "not-executed" ? html`<p class="hint">${NOT_EXECUTED_RISK}</p>` : ""}
    ${own ? html`<p><strong>Another person must confirm it.</strong></p>` : canAct(context) ? button : "An operator must confirm it."}
  </form>`;
};

const EXECUTED =
  "The final result becomes SUCCEEDED: its sender books it as done. This cannot be taken back.";
const NOT_EXECUTED = `The final result becomes FAILED. ${NOT_EXECUTED_RISK}`;

/** The form that ends a doubt, and what others propose. */
export const doubtForm = (
  context: ConsoleContext,
  doubt: Doubt,
  proposals: readonly Proposal[],
  before: Before | null,
): Html => {
  const { person, site } = context.var;
  const { fourEyes } = site.settings;
  const nowMs = site.clock.now();
  const others = proposals.map((proposal) => proposalView(context, doubt, proposal));
  const endableAtMs = before?.endableAtMs ?? doubt.resolvableAtMs;
  if (!canAct(context)) {
    const from = endableAtMs <= nowMs ? "now" : html`at ${when(endableAtMs, nowMs)}`;
    const nobody = html`nobody signs in here. Set CONSOLE_AUTH, or use <code>cambio-bridge resolve</code>.`;
    return html`${others} <p>An operator can end it ${from}. You may only look${person === null ? html`: ${nobody}` : "."}</p>`;
  }
  const given = (name: string): string => before?.form.get(name) ?? "";
  const quote = doubt.quoteId === null ? "this command" : html`quote ${code(doubt.quoteId)}`;
  return html`${others}
    <form method="post" action="/doubt" class="panel">
      <h2>End the doubt</h2>
      ${fieldsOf(doubt)}
      ${fourEyes ? html`<p>Two people end a doubt: what you say is a proposal until another person confirms it.</p>` : ""}
      <fieldset>
        <legend>What does the partner say of ${quote}?</legend>
        ${choice("radio", "as", "succeeded", "It was executed", EXECUTED, given("as") === "succeeded")}
        ${choice("radio", "as", "not-executed", "It was not executed", NOT_EXECUTED, given("as") === "not-executed")}
      </fieldset>
      ${noteField("Who at the partner said so, when, and a reference.", given("note"))}
      ${time(endableAtMs, nowMs, given("force") === "yes")}
      <p><button class="main">${fourEyes ? "Propose to end the doubt" : "End the doubt"}</button></p>
    </form>`;
};
