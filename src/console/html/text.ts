import { INVISIBLE, unitsOf } from "../../runtime/invisible.ts";
import { html, sizeOf, type Html } from "./markup.ts";

const INVISIBLE_BUT_LINES = /(?:(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}])+/u;

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

/** Untrusted text within a line, cut at `maxLength`. */
export const inlineText = (text: string, maxLength = MAX_SHOWN): Html =>
  text.length <= maxLength
    ? html`<bdi>${marked(text, INVISIBLE)}</bdi>`
    : html`<bdi>${marked(text.slice(0, maxLength), INVISIBLE)}</bdi>
        <span class="dim">… ${text.length} characters</span>`;

/** A sentence of the bridge that may hold untrusted text. */
export const sentence = (text: string): Html => marked(text.slice(0, MAX_SENTENCE), INVISIBLE);

/** An id, a place or a code, in a fixed-width font. */
export const code = (text: string, maxLength = MAX_SHOWN): Html =>
  html`<code>${text === "" ? "(empty)" : inlineText(text, maxLength)}</code>`;

/** Of the markup of one block: what is escaped may be many times as long. */
const MAX_BLOCK = 24_000;

/** Untrusted text with its line breaks, cut where it would make the page too large. */
export const block = (text: string, maxBytes = MAX_BLOCK): Html => {
  for (let length = Math.min(text.length, maxBytes); ; length = Math.floor(length / 2)) {
    const shown = marked(text.slice(0, length), INVISIBLE_BUT_LINES);
    if (sizeOf(shown) > maxBytes) continue;
    const cut =
      length < text.length
        ? html`<p class="dim">The first ${formatCount(length)} of ${formatCount(text.length)} characters.</p>`
        : "";
    return html`<pre><bdi>${shown}</bdi></pre>
      ${cut}`;
  }
};

export const count = (n: number, one: string, many = `${one}s`): string =>
  `${formatCount(n)} ${n === 1 ? one : many}`;

/** With a narrow space between thousands: a comma or point could be read as a decimal mark. */
export const formatCount = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, "\u202f");
