import { html } from "hono/html";
import { formatDuration } from "../../runtime/duration.ts";
import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { INVISIBLE, unitsOf } from "../../runtime/invisible.ts";

export { html };
/** Markup. Anything else that is put into a template is escaped; null, undefined and false leave nothing there. */
export type Html = ReturnType<typeof html>;
export type Cell = Html | string | false | null;

/** The size of markup in bytes. Pages put no promises into templates, so it is ready. */
export const sizeText = (markup: Html): number =>
  markup instanceof Promise ? 0 : Buffer.byteLength(markup.toString());

const INVISIBLE_BUT_LINES = /(?:(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}])+/u;

const marked = (text: string, odd: RegExp): Html => {
  const parts: Html[] = [];
  let from = 0;
  for (const { 0: odds, index } of text.matchAll(new RegExp(odd, "gu"))) {
    parts.push(html`${text.slice(from, index)}<span class="odd">${unitsOf(odds)}</span>`);
    from = index + odds.length;
  }
  return html`${parts}${text.slice(from)}`;
};

const MAX_SHOWN = 300;
/** The largest markup of one block: escaping can multiply the length of a text. */
const MAX_BLOCK = 24_000;

export const inlineText = (text: string, maxLength = MAX_SHOWN): Html => {
  const rest = text.length > maxLength && html` <span class="dim">… ${text.length} characters</span>`;
  return html`<bdi>${marked(text.slice(0, maxLength), INVISIBLE)}</bdi>${rest}`;
};

/** A sentence of the bridge that may hold untrusted text. */
export const sentence = (text: string): Html => inlineText(text, 4_000);

export const codeText = (text: string, maxLength = MAX_SHOWN): Html =>
  html`<code>${text === "" ? "(empty)" : inlineText(text, maxLength)}</code>`;

/** With a narrow space between thousands: a comma or point could be read as a decimal mark. */
export const formatCount = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, "\u202f");

export const count = (n: number, one: string, many = `${one}s`): string =>
  `${formatCount(n)} ${n === 1 ? one : many}`;

/** Untrusted text with its line breaks, cut where it would make the page too large. */
export const block = (text: string, maxBytes = MAX_BLOCK): Html => {
  for (let length = Math.min(text.length, maxBytes); ; length = Math.floor(length / 2)) {
    const shown = marked(text.slice(0, length), INVISIBLE_BUT_LINES);
    if (sizeText(shown) > maxBytes) continue;
    const cut = `The first ${formatCount(length)} of ${formatCount(text.length)} characters.`;
    return html`<pre><bdi>${shown}</bdi></pre>${length < text.length && html`<p class="dim">${cut}</p>`}`;
  }
};

const inSaoPaulo = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "America/Sao_Paulo",
  dateStyle: "short",
  timeStyle: "medium",
});

/** The day stands in São Paulo's time only where it differs. The timestamp of a record may be out of range. */
export const timeText = (ms: number): Html => {
  if (!(Math.abs(ms) <= MAX_INSTANT_MS)) return html`<span class="dim">no time (${ms})</span>`;
  const iso = new Date(ms).toISOString();
  const utc = iso.slice(0, -5).replace("T", " ");
  const saoPaulo = inSaoPaulo.format(ms);
  const local = saoPaulo.slice(0, 10) === utc.slice(0, 10) ? saoPaulo.slice(11) : saoPaulo;
  return html`<span class="when"><time datetime="${iso}">${utc} UTC</time>
    <span class="dim">${local} São Paulo</span></span>`;
};

export const ago = (ms: number, nowMs: number): string =>
  ms > nowMs ? `in ${formatDuration(ms - nowMs)}` : `${formatDuration(nowMs - ms)} ago`;

export const timeAndAge = (ms: number, nowMs: number): Html =>
  html`${timeText(ms)} <span class="dim">(${ago(ms, nowMs)})</span>`;
