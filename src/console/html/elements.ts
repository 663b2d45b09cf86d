import type { Progress } from "../../operate/tools.ts";
import type { Sentence } from "../../operate/sentence.ts";
import { codeText, formatCount, html, inlineText, sentence, sizeText, timeAndAge } from "./text.ts";
import type { Cell, Html } from "./text.ts";

/** The path of a page with its query. A lone surrogate cannot be written in one. */
export const pathTo = (path: string, query: Readonly<Record<string, string | number | null>>): string => {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === "" ? [] : `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
  );
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`;
};

/** The largest markup of one list, so that a page stays below 60 kB. */
const MAX_LIST = 36_000;

export const fitting = (pieces: readonly Html[], maxBytes = MAX_LIST): readonly Html[] => {
  let bytes = 0;
  const end = pieces.findIndex((piece, index) => (bytes += sizeText(piece)) > maxBytes && index > 0);
  return end < 0 ? pieces : pieces.slice(0, end);
};

/** The cells of a row by the names of their columns. */
export type Cells = Readonly<Record<string, Cell>>;

/** `label` is for screen readers, unique on its page. `total` also counts rows that do not fit, `lister` lists all. */
export const table = (
  label: string,
  rows: readonly Cells[],
  empty: string,
  total = rows.length,
  lister = "the command line",
): Html => {
  if (rows.length === 0) return html`<p class="none">${empty}</p>`;
  const cellOf = ([name, cell]: [string, Cell], column: number): Html =>
    column === 0
      ? html`<th scope="row">${cell}</th>`
      : html`<td><span class="name">${name}</span><div>${cell}</div></td>`;
  const shown = fitting(rows.map((row) => html`<tr>${Object.entries(row).map(cellOf)}</tr>`));
  const part = `${formatCount(shown.length)} of ${formatCount(total)} are shown: ${lister} lists all.`;
  return html`<table aria-label="${label}">
    <thead><tr>${Object.keys(rows[0] ?? {}).map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${shown}</tbody>
  </table> ${shown.length < total && html`<p class="dim">${part}</p>`}`;
};

/** A list of names and values. What has the value null is left out. */
export const facts = (rows: readonly (readonly [string, Cell])[]): Html =>
  html`<dl class="facts">${rows.map(([name, value]) =>
    value === null ? null : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

const MARKS = { good: "✓", wait: "…", bad: "!", plain: "·" } as const;
export type Tone = keyof typeof MARKS;

/** A coloured label, with a sign for people who do not see colours. */
export const tag = (tone: Tone, text: Cell): Html =>
  html`<span class="tag ${tone}"><span aria-hidden="true">${MARKS[tone]}</span> ${text}</span>`;

export const notice = (tone: Tone, body: Cell): Html =>
  html`<div class="notice ${tone}"><p>${body}</p></div>`;

export const reading = (what: string, progress: Progress | null): Html => {
  if (progress === null || progress.total === 0)
    return notice("plain", `${what}: Kafka has not answered yet.`);
  const { total } = progress;
  const read = Math.min(progress.read, total);
  return html`<div class="notice wait">
    <p>${what}: ${formatCount(read)} of ${formatCount(total)} records are read.</p>
    <progress aria-label="${what}" max="${total}" value="${read}"></progress>
  </div>`;
};

export const link = (href: string, text: Cell, rel = ""): Html =>
  html`<a href="${href}" rel="${rel}">${text}</a>`;

export const hidden = (name: string, value: string | number): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

export const select = (
  name: string,
  label: string,
  choices: readonly (readonly [string, string])[],
  chosen: string,
): Html =>
  html`<p class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">${choices.map(
      ([value, text]) => html`<option value="${value}" ${value === chosen && "selected"}>${text}</option>`,
    )}</select>
  </p>`;

export const transactionLink = (transactionId: string): Html =>
  link(pathTo("/story", { id: transactionId }), codeText(transactionId, 80));

export const sentenceView = (parts: Sentence, nowMs: number): Html =>
  html`${parts.map((part) => {
    if (typeof part === "string") return sentence(part);
    if ("atMs" in part) return timeAndAge(part.atMs, nowMs);
    if ("words" in part) return inlineText(part.words);
    if ("page" in part) return html`<a class="button" href="${part.page}">${part.title}</a>`;
    return "id" in part ? codeText(part.id) : transactionLink(part.transactionId);
  })}`;
