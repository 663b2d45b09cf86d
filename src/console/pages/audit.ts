import { readAudit, type AuditAction } from "../../operate/audit/read.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import { reading, table, tag, type Cell } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { code, inlineText } from "../html/text.ts";
import { at } from "../html/time.ts";
import type { Answer, ConsoleContext } from "../site.ts";
import { failed } from "./problem.ts";

const PER_PAGE = 30;
const REFRESH_S = 2;
const MAX_VALUE = 200;

const TONES = { done: "good", proposed: "wait", refused: "wait", failed: "bad" } as const;
const toneOf = (kind: string): "good" | "wait" | "bad" | "plain" =>
  kind in TONES ? TONES[kind as keyof typeof TONES] : "plain";

const pairs = (all: readonly (readonly [string, string])[]): Html =>
  html`${all.map(([name, value]) => html`<div><span class="dim">${inlineText(name, 80)}:</span> ${inlineText(value, MAX_VALUE)}</div>`)}`;

/** JSON as names and values. */
const readable = (text: string): Html => {
  const object = objectOf(parseJson(text));
  if (object === null) return inlineText(text, MAX_VALUE);
  return pairs(
    Object.entries(object).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
};

const rowOf = ({
  atMs,
  place,
  action,
  subject,
  by,
  note,
  from,
  parameters,
  outcome,
}: AuditAction): readonly Cell[] => [
  html`${at(atMs)}<br /><small>${inlineText(place)}</small>`,
  html`<strong>${inlineText(by, 80)}</strong><br /><small>${inlineText(from, 120)}</small>`,
  html`<strong>${inlineText(action, 40)}</strong> ${code(subject, 80)} ${pairs(parameters)}`,
  inlineText(note, MAX_VALUE),
  outcome === null
    ? tag("wait", "no outcome yet")
    : html`${tag(toneOf(outcome.kind), inlineText(outcome.kind, 40))} ${readable(outcome.text)}`,
];

export const auditView = (actions: readonly AuditAction[], next: number | null): Html => {
  const { markup, shown } = table({
    label: "What people did",
    columns: ["when", "who", "what", "why", "what came of it"],
    rows: actions.map(rowOf),
    empty: "Nobody has done anything yet.",
  });
  // Those that did not fit begin the next page.
  const last = shown < actions.length ? actions[shown - 1] : undefined;
  const before = last ? Number(/@(\d+)$/.exec(last.place)?.[1]) : next;
  return html`${markup}
  ${
    before === null
      ? ""
      : html`<nav class="pager" aria-label="More actions">
          <a href="${pathTo("/audit", { before })}" rel="next">Older ones</a>
        </nav>`
  }`;
};

export const auditPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const given = context.req.query("before") ?? "";
  const before = /^\d{1,15}$/.test(given) ? Number(given) : null;
  const found = await site.readings.audit.get(given, (_, signal) =>
    readAudit(site.connections, { before, count: PER_PAGE }, signal),
  );
  const show = (body: Html, refreshS?: number): Answer =>
    page(context, {
      title: "Audit",
      refreshS,
      body: html`<h1>Audit <small>who did what, and what came of it; the newest first</small></h1>
        ${body}`,
    });
  if (found.kind === "failed") return show(failed(context, found.error));
  if (found.kind === "reading")
    return show(reading("The audit topic is being read", found.progress), REFRESH_S);
  return show(auditView(found.value.actions, found.value.next));
};
