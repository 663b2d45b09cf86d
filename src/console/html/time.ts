import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { html, type Html } from "./markup.ts";

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A duration in its two largest units. The script (`lasting`) has the same rule. */
export const formatDuration = (ms: number): string => {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < MINUTE_S) return `${s} s`;
  if (s < HOUR_S) return `${Math.floor(s / MINUTE_S)} min ${s % MINUTE_S} s`;
  if (s < DAY_S) return `${Math.floor(s / HOUR_S)} h ${Math.floor((s % HOUR_S) / MINUTE_S)} min`;
  return `${Math.floor(s / DAY_S)} d ${Math.floor((s % DAY_S) / HOUR_S)} h`;
};

/** Timestamps of records may be out of range. */
const isoOf = (ms: number): string | null =>
  Math.abs(ms) <= MAX_INSTANT_MS ? new Date(ms).toISOString() : null;

const plain = (iso: string): string => `${iso.slice(0, -5).replace("T", " ")} UTC`;

/** An instant. */
export const at = (ms: number): Html => {
  const iso = isoOf(ms);
  return iso === null
    ? html`<span class="dim">no time (${ms})</span>`
    : html`<time datetime="${iso}" title="${iso}">${plain(iso)}</time>`;
};

/** The age of an instant, or the time until it. The script keeps it up to date. */
export const ago = (ms: number, nowMs: number): Html => {
  const iso = isoOf(ms);
  if (iso === null) return html`<span class="dim">no time (${ms})</span>`;
  const text = ms > nowMs ? `in ${formatDuration(ms - nowMs)}` : `${formatDuration(nowMs - ms)} ago`;
  return html`<time class="age" datetime="${iso}" data-age>${text}</time>`;
};

/** An instant and its age. */
export const when = (ms: number, nowMs: number): Html =>
  isoOf(ms) === null
    ? at(ms)
    : html`<span class="when">${at(ms)} <span class="dim">(${ago(ms, nowMs)})</span></span>`;
