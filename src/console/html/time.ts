import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { html, type Html } from "./markup.ts";

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A length of time in its two largest units. The script has the same rule. */
export const lasting = (ms: number): string => {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < MINUTE_S) return `${s} s`;
  if (s < HOUR_S) return `${Math.floor(s / MINUTE_S)} min ${s % MINUTE_S} s`;
  if (s < DAY_S) return `${Math.floor(s / HOUR_S)} h ${Math.floor((s % HOUR_S) / MINUTE_S)} min`;
  return `${Math.floor(s / DAY_S)} d ${Math.floor((s % DAY_S) / HOUR_S)} h`;
};

/** Times stand in records of others, and may be no times. */
const isoOf = (ms: number): string | null =>
  Math.abs(ms) <= MAX_INSTANT_MS ? new Date(ms).toISOString() : null;

const plain = (iso: string): string => `${iso.slice(0, -5).replace("T", " ")} UTC`;

/** An instant alone. */
export const at = (ms: number): Html => {
  const iso = isoOf(ms);
  return iso === null
    ? html`<span class="dim">no time (${ms})</span>`
    : html`<time datetime="${iso}" title="${iso}">${plain(iso)}</time>`;
};

/** How long ago, or in how long. The script keeps it true. */
export const ago = (ms: number, nowMs: number): Html => {
  const iso = isoOf(ms);
  if (iso === null) return html`<span class="dim">no time (${ms})</span>`;
  const text = ms > nowMs ? `in ${lasting(ms - nowMs)}` : `${lasting(nowMs - ms)} ago`;
  return html`<time class="age" datetime="${iso}" data-age>${text}</time>`;
};

/** An instant, and how long ago it was. */
export const when = (ms: number, nowMs: number): Html =>
  isoOf(ms) === null
    ? at(ms)
    : html`<span class="when">${at(ms)} <span class="dim">(${ago(ms, nowMs)})</span></span>`;

export const orNone = (ms: number | null, nowMs: number, none: string): Html =>
  ms === null ? html`${none}` : when(ms, nowMs);
