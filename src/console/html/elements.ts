import { html, type Html } from "./markup.ts";

/** `label`: for screen readers; unique on its page. */
type Table = { label: string; columns: readonly (string | Html)[]; rows: readonly Html[]; empty: string };

/** A table that scrolls by itself on narrow pages, by keyboard too. */
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

/** A list of names and values. What has the value null is left out. */
export const facts = (rows: readonly (readonly [string, unknown])[]): Html =>
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
export const tag = (tone: Tone, text: string | Html): Html =>
  html`<span class="tag ${tone}"><span aria-hidden="true">${MARKS[tone]}</span> ${text}</span>`;

/** A highlighted box. */
export const notice = (tone: Tone, body: unknown): Html =>
  html`<div class="notice ${tone}">
    <span class="sign" aria-hidden="true">${MARKS[tone]}</span>
    <div>${body}</div>
  </div>`;
