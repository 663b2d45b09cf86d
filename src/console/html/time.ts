import { formatDuration } from "../../runtime/duration.ts";
import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { html, type Html } from "./markup.ts";

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
