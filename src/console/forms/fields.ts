import type { Context } from "hono";
import { MAX_TEXT_LENGTH } from "../../operator/audit.ts";
import { html, type Html } from "../html/markup.ts";
import type { ConsoleEnv } from "../options.ts";

export const MAX_NOTE = MAX_TEXT_LENGTH;

/** The hidden token of a form: for this user and this purpose. */
export const tokenField = ({ var: { site, person } }: Context<ConsoleEnv>, purpose: string): Html =>
  html`<input type="hidden" name="token" value="${site.tokens.issue(person?.name ?? "", purpose)}" />`;

/** Whether this user can act. */
export const canAct = ({ var: { site, person } }: Context<ConsoleEnv>): boolean =>
  site.actions !== null && person?.role === "operator";

/** Says why there is no form. */
export const whyNoForm = ({ var: { person } }: Context<ConsoleEnv>): Html =>
  html`<p class="none">
    ${
      person === null
        ? "Nothing can be done here, because nobody signs in: use the command line, or set CONSOLE_AUTH."
        : "You are a viewer: an operator can act here."
    }
  </p>`;

/** `id`: of the textarea. `why`: the hint. */
export const noteField = (id: string, why: string, given = ""): Html =>
  html`<p class="field">
    <label for="${id}">Note</label>
    <span class="hint" id="${id}-hint">${why} It is kept in the audit topic.</span>
    <textarea id="${id}" name="note" rows="2" required maxlength="${MAX_NOTE}" aria-describedby="${id}-hint">
${given}</textarea>
  </p>`;

/** The note of a form, or what is wrong with it. */
export const noteIn = (form: URLSearchParams): { note: string } | { problem: string } => {
  // Browsers send a line end as two characters and count it as one in maxlength.
  const note = (form.get("note") ?? "").replaceAll("\r\n", "\n").trim();
  if (note === "") return { problem: "Say in the note why you do it." };
  return note.length > MAX_NOTE
    ? { problem: `The note is longer than ${MAX_NOTE} characters: shorten it.` }
    : { note };
};
