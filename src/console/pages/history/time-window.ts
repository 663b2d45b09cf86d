import { html, type Html } from "../../html/markup.ts";
import { withQuery } from "../../html/paths.ts";
import { readInstant } from "../../../runtime/instant.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * How far back the topics are read. The start moves in steps, so that a page that is loaded again continues
 * the same search.
 */
const WINDOWS = [
  { name: "1h", words: "last hour", ms: HOUR_MS, stepMs: 5 * MINUTE_MS },
  { name: "24h", words: "24 hours", ms: DAY_MS, stepMs: HOUR_MS },
  { name: "7d", words: "7 days", ms: 7 * DAY_MS, stepMs: DAY_MS },
  { name: "30d", words: "30 days", ms: 30 * DAY_MS, stepMs: DAY_MS },
] as const;
const ALL = "all";
const USUAL = "7d";

export type Window = { name: string; sinceMs: number | null };

/** The window that `since` names: one of the list, "all", or everything since an instant. */
export const windowIn = (asked: string | undefined, nowMs: number): Window => {
  if (asked === ALL) return { name: ALL, sinceMs: null };
  const instantMs = readInstant(asked ?? "");
  if (asked !== undefined && instantMs !== null) return { name: asked, sinceMs: instantMs };
  const { name, ms, stepMs } = WINDOWS.find((window) => window.name === asked) ?? WINDOWS[2];
  return { name, sinceMs: Math.floor((nowMs - ms) / stepMs) * stepMs };
};

export const windowChoice = (path: string, { name }: Window): Html =>
  html`<nav class="tabs" aria-label="From when on">
    ${[...WINDOWS, { name: ALL, words: "everything" }].map(
      (window) =>
        html`<a
          href="${withQuery(path, { since: window.name === USUAL ? null : window.name })}"
          ${window.name === name ? html`aria-current="true"` : ""}
          >${window.words}</a
        >`,
    )}
  </nav>`;
