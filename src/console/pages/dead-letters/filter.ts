import { html, type Html } from "../../html/markup.ts";
import { withQuery } from "../../html/paths.ts";
import type { LetterFilter } from "../../ports.ts";
import { isoOrNull, MAX_INSTANT_MS, readInstant } from "../../../runtime/instant.ts";

const MAX_REASON = 200;

/** A datetime-local field sends no time zone: it is UTC here. */
const instantIn = (text: string | null): number | null => {
  if (text === null || text === "") return null;
  const full = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00` : text;
  return readInstant(/(?:[Zz]|[+-]\d\d:\d\d)$/.test(full) ? full : `${full}Z`);
};

const fieldOf = (ms: number | null): string =>
  ms === null || Math.abs(ms) > MAX_INSTANT_MS ? "" : new Date(ms).toISOString().slice(0, 16);

/** The filter in a query or a form, and what could not be read of it. */
export const filterIn = (query: URLSearchParams): { filter: LetterFilter; problems: readonly string[] } => {
  const reason = (query.get("reason") ?? "").trim().slice(0, MAX_REASON);
  const problems: string[] = [];
  const instant = (name: string): number | null => {
    const text = query.get(name);
    const ms = instantIn(text);
    if (ms === null && text !== null && text !== "")
      problems.push(`“${name}” is no time: write it as 2026-12-01T06:00. It was left out.`);
    return ms;
  };
  const filter = {
    reason: reason === "" ? null : reason,
    sinceMs: instant("since"),
    untilMs: instant("until"),
  };
  return { filter, problems };
};

export const filterQuery = ({ reason, sinceMs, untilMs }: LetterFilter) => ({
  reason,
  since: isoOrNull(sinceMs),
  until: isoOrNull(untilMs),
});

export const filterPath = (filter: LetterFilter, from: string | null = null): string =>
  withQuery("/dead-letters", { ...filterQuery(filter), from });

/** `reasons`: suggestions for the field. */
export const filterForm = ({ reason, sinceMs, untilMs }: LetterFilter, reasons: readonly string[]): Html =>
  html`<form method="get" action="/dead-letters" class="filter" aria-label="Filter">
    <p class="field">
      <label for="reason">Reason</label>
      <input
        id="reason"
        name="reason"
        list="reasons"
        value="${reason ?? ""}"
        placeholder="any"
        autocomplete="off"
      />
      <datalist id="reasons">${reasons.map((name) => html`<option value="${name}"></option>`)}</datalist>
    </p>
    <p class="field">
      <label for="since">Since (UTC)</label>
      <input id="since" name="since" type="datetime-local" value="${fieldOf(sinceMs)}" />
    </p>
    <p class="field">
      <label for="until">Until (UTC)</label>
      <input id="until" name="until" type="datetime-local" value="${fieldOf(untilMs)}" />
    </p>
    <p><button>Filter</button> <a href="/dead-letters">All</a></p>
  </form>`;
