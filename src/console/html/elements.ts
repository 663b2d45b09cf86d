import type { Progress } from "../../operate/connections.ts";
import { html, sizeOf, type Html } from "./markup.ts";
import { formatCount } from "./text.ts";

export type Cell = Html | string;

/** `label`: for screen readers; unique on its page. A row's first cell names it. */
type Table = { label: string; columns: readonly string[]; rows: readonly (readonly Cell[])[]; empty: string };

/** Of the rows of one list: no page may be larger than 60 kB. */
const MAX_LIST = 36_000;

/** The first of these pieces that fit on a page. */
export const fitting = (pieces: readonly Html[], maxBytes = MAX_LIST): readonly Html[] => {
  let bytes = 0;
  const end = pieces.findIndex((piece, at) => (bytes += sizeOf(piece)) > maxBytes && at > 0);
  return end < 0 ? pieces : pieces.slice(0, end);
};

/** A table whose rows become blocks on a narrow page. `shown`: how many rows fit on the page. */
export const table = ({ label, columns, rows, empty }: Table): { markup: Html; shown: number } => {
  if (rows.length === 0) return { markup: html`<p class="none">${empty}</p>`, shown: 0 };
  const cells = rows.map(
    (row) =>
      html`<tr>
        ${row.map((cell, at) =>
          at === 0
            ? html`<th scope="row">${cell}</th>`
            : html`<td>
                <span class="name">${columns[at]}</span>
                <div>${cell}</div>
              </td>`,
        )}
      </tr>`,
  );
  const shown = fitting(cells);
  const markup = html`<table aria-label="${label}">
    <thead>
      <tr>
        ${columns.map((column) => html`<th scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${shown}
    </tbody>
  </table>`;
  return { markup, shown: shown.length };
};

/** A list of names and values. What has the value null is left out. */
export const facts = (rows: readonly (readonly [string, Cell | null])[]): Html =>
  html`<dl class="facts">
    ${rows.map(([name, value]) =>
      value === null
        ? ""
        : html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;

const MARKS = { good: "✓", wait: "…", bad: "!", plain: "·" } as const;
export type Tone = keyof typeof MARKS;

/** A coloured label, with a sign for people who do not see colours. */
export const tag = (tone: Tone, text: Cell): Html =>
  html`<span class="tag ${tone}"><span aria-hidden="true">${MARKS[tone]}</span> ${text}</span>`;

/** A highlighted box. */
export const notice = (tone: Tone, body: Cell): Html => html`<div class="notice ${tone}">${body}</div>`;

/** What is still being read, and how far it is. */
export const reading = (what: string, progress: Progress | null): Html => {
  if (progress === null || progress.total === 0)
    return notice("wait", html`<p>${what}: Kafka is being asked.</p>`);
  const { read, total } = progress;
  const words = `${formatCount(Math.min(read, total))} of ${formatCount(total)} records are read`;
  return notice(
    "wait",
    html`<p>${what}: ${words}.</p>
      <progress aria-label="${what}" max="${total}" value="${Math.min(read, total)}"></progress>`,
  );
};

export type Choice = { value: string; label: string };

/** A field of a form: a list to choose from. */
export const select = (name: string, label: string, choices: readonly Choice[], given: string): Html =>
  html`<p class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${choices.map(
        ({ value, label }) =>
          html`<option value="${value}" ${value === given ? "selected" : ""}>${label}</option>`,
      )}
    </select>
  </p>`;
