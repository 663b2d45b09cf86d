import { formatDuration } from "../../runtime/duration.ts";
import { MAX_INSTANT_MS } from "../../runtime/instant.ts";
import { html, type Html } from "./markup.ts";

const inSaoPaulo = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "America/Sao_Paulo",
  dateStyle: "short",
  timeStyle: "medium",
});

/** The time there; with the day, where it is another one. */
const saoPaulo = (ms: number, utc: string): string => {
  const [day = "", time = ""] = inSaoPaulo.format(ms).split(" ");
  return utc.startsWith(day) ? time : `${day} ${time}`;
};

/** An instant in UTC and in São Paulo. Timestamps of records may be out of range. */
export const at = (ms: number): Html => {
  if (!(Math.abs(ms) <= MAX_INSTANT_MS)) return html`<span class="dim">no time (${ms})</span>`;
  const iso = new Date(ms).toISOString();
  const utc = iso.slice(0, -5).replace("T", " ");
  return html`<span class="when"
    ><time datetime="${iso}">${utc} UTC</time> <span class="dim">${saoPaulo(ms, utc)} São Paulo</span></span
  >`;
};

/** The age of an instant, or the time until it. */
export const ago = (ms: number, nowMs: number): string =>
  ms > nowMs ? `in ${formatDuration(ms - nowMs)}` : `${formatDuration(nowMs - ms)} ago`;

/** An instant and its age. */
export const when = (ms: number, nowMs: number): Html =>
  html`${at(ms)} <span class="dim">(${ago(ms, nowMs)})</span>`;
