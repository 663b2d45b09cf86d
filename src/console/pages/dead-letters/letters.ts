import type { Context } from "hono";
import { canAct } from "../../forms/fields.ts";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { letterPath } from "../../html/paths.ts";
import { notice, table } from "../../html/elements.ts";
import { code, inlineText, formatBytes } from "../../html/text.ts";
import { ago, at } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { LetterFilter, LettersPage } from "../../ports.ts";
import { refOf, type DeadLetter } from "../../../operator/replay/dead-letter.ts";
import { placeText } from "../../../runtime/record-position.ts";
import { askOrRemember } from "../ask-kafka.ts";
import { filterForm, filterIn, filterPath } from "./filter.ts";
import { planFields } from "./plan-form.ts";

const PREVIEW = 80;

const fromOf = ({ source, origin }: DeadLetter): Html =>
  html`${source === "unknown" ? "unknown" : source}${origin === null ? "" : html`<br />${code(placeText(origin.topic, origin))}`}`;

const row = (letter: DeadLetter, nowMs: number, acts: boolean): Html => {
  const ref = refOf(letter.place);
  const { reason, timestampMs, obstacle, missing, bytes, preview } = letter;
  return html`<tr>
    ${acts ? html`<td><input type="checkbox" name="ref" value="${ref}" aria-label="Choose ${ref}" /></td>` : ""}
    <th scope="row"><a href="${letterPath(ref)}">${ref}</a></th>
    <td>${ago(timestampMs, nowMs)}<br />${at(timestampMs)}</td>
    <td>
      <a href="${filterPath({ reason, sinceMs: null, untilMs: null })}"
        >${reason === "" ? "(none)" : code(reason)}</a
      >
    </td>
    <td>${fromOf(letter)}</td>
    <td>
      ${inlineText(preview, PREVIEW)} <span class="dim">${formatBytes(bytes)}</span>
      ${missing === null ? "" : html`<br /><span class="dim">incomplete: ${inlineText(missing)}</span>`}
      ${obstacle === null ? "" : html`<br /><span class="dim">is not sent again: ${inlineText(obstacle)}</span>`}
    </td>
  </tr>`;
};

const pager = ({ next, searchedBackToMs }: LettersPage, filter: LetterFilter, from: string | null): Html =>
  html`${
    searchedBackToMs === null
      ? ""
      : notice(
          "wait",
          html`<p>Looked back to ${at(searchedBackToMs)}; what is older was not looked at yet.</p>`,
        )
  }
  ${
    next === null && from === null
      ? ""
      : html`<nav class="pager" aria-label="More dead letters">
          ${from === null ? "" : html`<a href="${filterPath(filter)}">Newest</a>`}
          ${next === null ? html`<span>This is the end.</span>` : html`<a href="${filterPath(filter, next)}" rel="next">Older</a>`}
        </nav>`
  }`;

/** The list of dead letters. */
export const lettersPage = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const { site } = context.var;
  const query = new URL(context.req.url).searchParams;
  const { filter, problems } = filterIn(query);
  const from = query.get("from");
  const { answer: found, age } = await askOrRemember(context, site.lastLetters, (signal) =>
    site.queries.letters(filter, from, signal),
  );
  const { letters } = found;
  const nowMs = site.clock.now();
  const acts = canAct(context) && letters.length > 0;
  const list = table({
    label: "Dead letters",
    columns: [
      ...(acts ? [html`<span class="hidden">Choose</span>`] : []),
      "letter",
      "since",
      "reason",
      "from",
      "what it says",
    ],
    rows: letters.map((letter) => row(letter, nowMs, acts)),
    empty: "No dead letter is found.",
  });
  return page(context, {
    title: "Dead letters",
    body: html`
      <h1>Dead letters <small>the newest first</small></h1>
      ${age}
      <p>
        Notifications and commands that were not understood or must not be executed, with their original
        bytes.
      </p>
      ${problems.map((problem) => notice("bad", html`<p>${problem}</p>`))}
      ${filterForm(
        filter,
        [...new Set(letters.map(({ reason }) => reason))].filter((reason) => reason !== ""),
      )}
      ${
        acts
          ? html`<form method="post" action="/dead-letters/plans" aria-label="Replay">
              ${list}${pager(found, filter, from)}${planFields(context, filter)}
            </form>`
          : html`${list}${pager(found, filter, from)}`
      }
    `,
  });
};
