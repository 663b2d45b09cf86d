import type { Context } from "hono";
import { noteField, tokenField } from "../../forms/fields.ts";
import { html, type Html } from "../../html/markup.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { LetterFilter } from "../../ports.ts";
import { filterQuery } from "./filter.ts";

export const PLAN_PURPOSE = "plan a replay";

const panel = (context: Context<ConsoleEnv>, buttons: Html): Html =>
  html`${tokenField(context, PLAN_PURPOSE)}
    <div class="panel">
      <h2>Send again</h2>
      <p class="dim">
        First a plan says what would be sent and what not. Nothing is sent before you have seen it.
      </p>
      ${noteField("note", "Why it is to be sent again.")}
      <p class="choice">
        <input type="checkbox" id="again" name="again" value="yes" />
        <label for="again">Also send again what was sent again before</label>
      </p>
      <p>${buttons}</p>
    </div>`;

/** The fields for planning a replay of chosen letters; they go into the form of the list. */
export const planFields = (context: Context<ConsoleEnv>, filter: LetterFilter): Html =>
  html`${Object.entries(filterQuery(filter)).map(([name, value]) =>
    value === null ? "" : html`<input type="hidden" name="${name}" value="${value}" />`,
  )}
  ${panel(
    context,
    html`<button class="main" name="which" value="chosen">Plan for the chosen ones</button>
      <button name="which" value="filter">Plan for all that the filter finds</button>`,
  )}`;

/** For one letter. */
export const planForm = (context: Context<ConsoleEnv>, ref: string): Html =>
  html`<form method="post" action="/dead-letters/plans" aria-label="Send again">
    <input type="hidden" name="ref" value="${ref}" />
    ${panel(context, html`<button class="main" name="which" value="chosen">Plan</button>`)}
  </form>`;
