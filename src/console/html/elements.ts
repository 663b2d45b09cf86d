import { html, type Html } from "./markup.ts";

/** `label`: for whoever does not see it; each on a page has another one. */
type Table = { label: string; columns: readonly (string | Html)[]; rows: readonly Html[]; empty: string };

/** A table that scrolls by itself where the page is narrow, by keyboard too. */
export const table = ({ label, columns, rows, empty }: Table): Html =>
  rows.length === 0
    ? html`<p class="none">${empty}</p>`
    : html`<div class="wide" role="region" aria-label="Table: ${label}" tabindex="0">
        <table>
          <thead>
            <tr>
              ${columns.map((column) => html`<th scope="col">${column}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>`;

/** Names and what stands behind them. */
export const facts = (rows: readonly (readonly [string, unknown])[]): Html =>
  html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;

const MARKS = { good: "✓", wait: "…", bad: "!", plain: "·" } as const;
export type Tone = keyof typeof MARKS;

/** A word with a colour, and a sign for whoever does not see colours. */
export const tag = (tone: Tone, text: string | Html): Html =>
  html`<span class="tag ${tone}"><span aria-hidden="true">${MARKS[tone]}</span> ${text}</span>`;

/** What a reader must know before the rest. */
export const notice = (tone: Tone, body: unknown): Html =>
  html`<div class="notice ${tone}">
    <span class="sign" aria-hidden="true">${MARKS[tone]}</span>
    <div>${body}</div>
  </div>`;
