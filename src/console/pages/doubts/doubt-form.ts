import type { Context } from "hono";
import { escapeInvisible } from "../../../runtime/invisible.ts";
import { decodePercent } from "../../../runtime/percent.ts";
import { MAX_NOTE, noteField, noteIn, tokenField } from "../../forms/fields.ts";
import { html, type Html } from "../../html/markup.ts";
import { encodeId } from "../../html/paths.ts";
import { notice } from "../../html/elements.ts";
import { code } from "../../html/text.ts";
import { ago, at } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Doubt } from "../../ports.ts";
import { NOT_EXECUTED_CAUTION, type ResolveRequest } from "../../../operator/resolve-outcome.ts";

export const purposeOf = (commandId: string): string => `resolve ${commandId}`;

export type Given = { asked: ResolveRequest; note: string } | { problems: readonly string[] };

/** Invisible characters cannot be typed: their escaped form is accepted as well. */
const isTyped = (typed: string, commandId: string): boolean =>
  typed === commandId || typed === escapeInvisible(commandId);

/** Reads the form. Whether the doubt is still open is decided later, by the journal. */
export const readDoubtForm = (form: URLSearchParams, commandId: string): Given => {
  const as = form.get("as");
  const quote = decodePercent(form.get("quote") ?? "");
  const note = noteIn(form);
  const problems = [
    ...(as === "succeeded" || as === "not-executed"
      ? []
      : ["Choose what is true: it was executed, or it was not."]),
    ...(quote === null || !form.has("quote") ? ["Choose the quote."] : []),
    ...("problem" in note ? [note.problem] : []),
    ...(isTyped(form.get("commandId") ?? "", commandId)
      ? []
      : ["The commandId that you typed is a different one. It must be exactly the same."]),
  ];
  if (problems.length > 0 || "problem" in note || (as !== "succeeded" && as !== "not-executed"))
    return { problems };
  const quoteId = quote === null || quote === "" ? null : quote;
  return { asked: { commandId, quoteId, as, force: form.get("force") === "yes" }, note: note.note };
};

const decision = (
  value: ResolveRequest["as"],
  title: string,
  consequence: string,
  given: string | null,
): Html =>
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
    <span class="hint" id="as-${value}-hint">${consequence}</span>
  </p>`;

const quotes = (doubts: readonly Doubt[], given: string | null): Html =>
  doubts.length < 2
    ? html`<input type="hidden" name="quote" value="${encodeId(doubts[0]?.quoteId ?? "")}" />`
    : html`<fieldset>
        <legend>Which quote?</legend>
        ${doubts.map(
          ({ quoteId }, index) =>
            html`<p class="choice">
              <input
                type="radio"
                id="quote-${index}"
                name="quote"
                value="${encodeId(quoteId ?? "")}"
                required
                ${given === encodeId(quoteId ?? "") ? "checked" : ""}
              />
              <label for="quote-${index}">${quoteId === null ? "(none named)" : code(quoteId)}</label>
            </p>`,
        )}
      </fieldset>`;

/** Shown only while it is too early. */
const force = (doubts: readonly Doubt[], nowMs: number): Html => {
  const times = doubts.map(({ resolvableAtMs }) => resolvableAtMs);
  const latestMs = times.includes(null) ? null : Math.max(...times.map((ms) => ms ?? 0));
  if (latestMs !== null && latestMs <= nowMs) return html``;
  const until =
    latestMs === null ? "that time is not known yet" : html`at ${at(latestMs)}, ${ago(latestMs, nowMs)}`;
  return notice(
    "wait",
    html`<p>
        <strong>It is too early to be sure.</strong> A replica that is frozen could still make the call, and
        the partner could still execute one that it received. The doubt can be ended with much less of that
        risk later: ${until}.
      </p>
      <p class="choice">
        <input type="checkbox" id="force" name="force" value="yes" aria-describedby="force-hint" />
        <label for="force">End it now anyway</label>
        <span class="hint" id="force-hint"
          >Only when you are certain: the partner will not execute it any more, and, where the replica was
          lost (OWNER_LOST), none of that time is alive. With “not executed” the same quote could be bought
          twice.</span
        >
      </p>`,
  );
};

/** The form that ends a doubt. `before`: what was sent before, and what was wrong with it. */
export const doubtForm = (
  context: Context<ConsoleEnv>,
  commandId: string,
  doubts: readonly Doubt[],
  before: { form: URLSearchParams; problems: readonly string[] } | null,
): Html => {
  const { options, clock } = context.var.site;
  const given = (name: string): string | null => before?.form.get(name) ?? null;
  return html`<form method="post" action="/doubts" class="panel" id="end">
    ${tokenField(context, purposeOf(commandId))}
    <input type="hidden" name="id" value="${encodeId(commandId)}" />
    ${
      before === null
        ? ""
        : notice(
            "bad",
            html`<p><strong>Nothing was done.</strong></p>
              <ul>
                ${before.problems.map((problem) => html`<li>${problem}</li>`)}
              </ul>`,
          )
    }
    ${
      options.fourEyes
        ? notice(
            "wait",
            html`<p>
              Two people end a doubt: what you say is a proposal until a second operator says the same.
            </p>`,
          )
        : ""
    }
    ${quotes(doubts, given("quote"))}
    <fieldset>
      <legend>What does the partner say?</legend>
      ${decision("succeeded", "It was executed", "The command's final result becomes SUCCEEDED. Its sender books it as done. This cannot be taken back.", given("as"))}
      ${decision("not-executed", "It was not executed", `The final result becomes FAILED. The quote is free for a new command. ${NOT_EXECUTED_CAUTION}`, given("as"))}
    </fieldset>
    ${noteField("note", "Who at the partner said so, when, and a reference.", (given("note") ?? "").slice(0, MAX_NOTE))}
    <p class="field">
      <label for="typed">Type the commandId</label>
      <span class="hint" id="typed-hint">To make sure that you end the right one: ${code(commandId)}</span>
      <input
        id="typed"
        name="commandId"
        required
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        aria-describedby="typed-hint"
        value="${given("commandId") ?? ""}"
      />
    </p>
    ${force(doubts, clock.now())}
    <p><button class="main">${options.fourEyes ? "Propose or confirm" : "End the doubt"}</button></p>
  </form>`;
};
