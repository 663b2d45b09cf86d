import type { Doubt } from "../../operate/doubts/doubts.ts";
import { isSamePerson } from "../../operate/actor.ts";
import { NOT_EXECUTED_RISK, type ResolveRequest } from "../../operate/resolve/outcome.ts";
import type { Proposal } from "../../operate/resolve/proposal.ts";
import { canAct, noteField, noteProblem, taskField } from "../act.ts";
import { notice } from "../html/elements.ts";
import { html, type Html } from "../html/markup.ts";
import { code, inlineText } from "../html/text.ts";
import { ago, at } from "../html/time.ts";
import type { ConsoleContext } from "../site.ts";

/** What was sent before, and why nothing was done. `endableAtMs`: by Kafka's clock. */
export type Before = { form: URLSearchParams; problem: Html; endableAtMs?: number };

type Given = { asked: ResolveRequest; note: string } | { problem: string };

/** Reads the form. Whether the doubt is still open is decided later, by the journal. */
export const readDoubtForm = (form: URLSearchParams): Given => {
  const as = form.get("as");
  const commandId = form.get("command") ?? "";
  const quoteId = form.get("quote") || null;
  const note = form.get("note") ?? "";
  if (as !== "succeeded" && as !== "not-executed")
    return { problem: "Choose what the partner says: it was executed, or it was not." };
  const problem = noteProblem(note);
  if (problem !== null) return { problem };
  return { asked: { commandId, quoteId, as, force: form.get("force") === "yes" }, note };
};

const decision = (value: ResolveRequest["as"], title: string, hint: string, given: string | null): Html =>
  html`<p class="choice">
    <input
      type="radio"
      id="as-${value}"
      name="as"
      value="${value}"
      required
      ${given === value ? "checked" : ""}
      aria-describedby="as-${value}-hint"
    />
    <label for="as-${value}">${title}</label>
    <span class="hint" id="as-${value}-hint">${hint}</span>
  </p>`;

/** When it can be ended: the only sentence on the page about it. */
const time = (endableAtMs: number, nowMs: number, isForced: boolean): Html =>
  endableAtMs <= nowMs
    ? html`<p>It can be ended now.</p>`
    : notice(
        "wait",
        html`<p>
            <strong>It can be ended at ${at(endableAtMs)}, ${ago(endableAtMs, nowMs)}.</strong> Until then a
            replica that stood still could make the call, or the partner could still hold it.
          </p>
          <p class="choice">
            <input
              type="checkbox"
              id="force"
              name="force"
              value="yes"
              ${isForced ? "checked" : ""}
              aria-describedby="force-hint"
            />
            <label for="force">End it now all the same</label>
            <span class="hint" id="force-hint"
              >Only when you are certain that no replica of that time still runs. With “not executed” the same
              quote could be bought twice.</span
            >
          </p>`,
      );

const hidden = ({ commandId, quoteId }: Doubt): Html =>
  html`${taskField()}
    <input type="hidden" name="command" value="${commandId}" />
    <input type="hidden" name="quote" value="${quoteId ?? ""}" />`;

const WORDS = { succeeded: "it was executed", "not-executed": "it was not executed" } as const;

/** Four eyes: what one person says, and the button for another one. */
const proposalView = (
  context: ConsoleContext,
  doubt: Doubt,
  { ref, asked, by, note, atMs, untilMs }: Proposal,
): Html => {
  const { person } = context.var;
  const isOwn = person !== null && isSamePerson(person.name, by);
  return html`<form method="post" action="/confirm" class="panel">
    <h2>${inlineText(by)} proposes: ${WORDS[asked.as]}</h2>
    <p>
      ${inlineText(note, 1_000)}
      <span class="dim">REF ${ref}, ${at(atMs)}; it can be confirmed until ${at(untilMs)}.</span>
    </p>
    ${asked.force ? html`<p><strong>It is to be ended before its time.</strong></p>` : ""}
    ${asked.as === "not-executed" ? html`<p class="hint">${NOT_EXECUTED_RISK}</p>` : ""}
    ${
      isOwn
        ? html`<p><strong>Another person must confirm it.</strong></p>`
        : canAct(context)
          ? html`${hidden(doubt)}
              <input type="hidden" name="ref" value="${ref}" />
              <p><button class="main">Confirm, and end the doubt</button></p>`
          : html`<p>An operator must confirm it.</p>`
    }
  </form>`;
};

/** The form that ends a doubt, and what others propose. */
export const doubtForm = (
  context: ConsoleContext,
  doubt: Doubt,
  proposals: readonly Proposal[],
  before: Before | null,
): Html => {
  const { settings, clock } = context.var.site;
  const others = proposals.map((proposal) => proposalView(context, doubt, proposal));
  const endableAtMs = before?.endableAtMs ?? doubt.resolvableAtMs;
  if (!canAct(context)) {
    const isOver = endableAtMs <= clock.now();
    return html`${others}
      <p>
        ${isOver ? "It can be ended now, by an operator." : html`It can be ended by an operator at ${at(endableAtMs)}, ${ago(endableAtMs, clock.now())}.`}
        You may only
        look${context.var.person === null ? ": nobody signs in here (CONSOLE_AUTH). On the command line it is" : "."}
        ${context.var.person === null ? html`<code>cambio-bridge resolve</code>.` : ""}
      </p>`;
  }
  const given = (name: string): string => before?.form.get(name) ?? "";
  return html`${others}
    <form method="post" action="/doubt" class="panel">
      <h2>End the doubt</h2>
      ${hidden(doubt)}
      ${settings.fourEyes ? html`<p>Two people end a doubt: what you say is a proposal until another person confirms it.</p>` : ""}
      <fieldset>
        <legend>
          What does the partner say of
          ${doubt.quoteId === null ? "this command" : html`quote ${code(doubt.quoteId)}`}?
        </legend>
        ${decision("succeeded", "It was executed", "The final result becomes SUCCEEDED: its sender books it as done. This cannot be taken back.", given("as"))}
        ${decision("not-executed", "It was not executed", `The final result becomes FAILED. ${NOT_EXECUTED_RISK}`, given("as"))}
      </fieldset>
      ${noteField("Who at the partner said so, when, and a reference.", given("note"))}
      ${time(endableAtMs, clock.now(), given("force") === "yes")}
      <p><button class="main">${settings.fourEyes ? "Propose to end the doubt" : "End the doubt"}</button></p>
    </form>`;
};
