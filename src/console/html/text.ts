import { html, type Html } from "./markup.ts";

/** What nobody would see, or what would show the rest in another order than it stands: controls, formats, line and paragraph breaks, halves of pairs. */
const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/u;
const ODD_BUT_LINES = /(?:(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}])+/u;

const unitsOf = (text: string): string =>
  [...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");

/** The same text with everything to be seen. */
export const visible = (text: string): string => text.replace(new RegExp(ODD, "gu"), unitsOf);

const marked = (text: string, odd: RegExp): Html => {
  const parts: Html[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(new RegExp(odd, "gu"))) {
    parts.push(html`${text.slice(from, index)}<span class="odd">${unitsOf(found)}</span>`);
    from = index + found.length;
  }
  return html`${parts}${text.slice(from)}`;
};

const MAX_SHOWN = 300;
const MAX_SENTENCE = 4_000;

/** Text of others within a line. What is cut off is said. */
export const shown = (text: string, maxLength = MAX_SHOWN): Html =>
  text.length <= maxLength
    ? html`<bdi>${marked(text, ODD)}</bdi>`
    : html`<bdi>${marked(text.slice(0, maxLength), ODD)}</bdi>
        <span class="dim">… ${text.length} characters</span>`;

/** A sentence of ours that may hold text of others. */
export const sentence = (text: string): Html => marked(text.slice(0, MAX_SENTENCE), ODD);

/** An id, a place, a code: to be read letter by letter. */
export const code = (text: string): Html => html`<code>${text === "" ? "(empty)" : shown(text)}</code>`;

/** Text of others with its lines as they are, in a part of the page that scrolls by itself. */
export const block = (text: string, label: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><bdi>${marked(text, ODD_BUT_LINES)}</bdi></pre>`;

export const count = (n: number, one: string, many = `${one}s`): string =>
  `${grouped(n)} ${n === 1 ? one : many}`;

/** With a narrow space between thousands, which no language takes for a decimal mark. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, "\u202f");

export const sized = (bytes: number): string =>
  bytes < 1_024
    ? `${bytes} B`
    : bytes < 1_048_576
      ? `${(bytes / 1_024).toFixed(1)} KiB`
      : `${(bytes / 1_048_576).toFixed(1)} MiB`;
