import { readAudit, type AuditAction, type AuditPage } from "../../operate/audit/entry.ts";
import { link, pathTo, table, tag } from "../html/elements.ts";
import { at, code, html, inlineText, type Cell, type Html } from "../html/text.ts";
import type { ConsoleContext } from "../site.ts";
import { readingPage } from "./problem.ts";

const PER_PAGE = 30;
const MAX_VALUE = 400;

/** On an older page an action may stand without its outcome, which is on the newer one. */
const outcomeOf = ({ outcome }: AuditAction, isNewest: boolean): Cell => {
  if (outcome === null)
    return isNewest ? tag("wait", "no outcome yet") : "none on this page: see the newer one";
  const { kind, text } = outcome;
  const tone = kind === "done" ? "good" : kind === "failed" ? "bad" : "wait";
  return html`${tag(tone, inlineText(kind, 40))} ${inlineText(text, MAX_VALUE)}`;
};

const rowOf = (one: AuditAction, isNewest: boolean): readonly Cell[] => [
  html`${at(one.atMs)}<br /><small>${inlineText(one.place)}</small>`,
  html`<strong>${inlineText(one.by, 80)}</strong><br /><small>${inlineText(one.from, 120)}</small>`,
  html`<strong>${inlineText(one.action, 40)}</strong> ${code(one.subject, 80)}
    ${inlineText(one.parameters, MAX_VALUE)}`,
  inlineText(one.note, MAX_VALUE),
  outcomeOf(one, isNewest),
];

const auditView = ({ actions, next }: AuditPage, isNewest: boolean): Html => {
  const columns = ["when", "who", "what", "why", "what came of it"];
  const none = "Nobody has done anything yet.";
  const rows = actions.map((one) => rowOf(one, isNewest));
  const { markup, shown } = table("What people did", columns, rows, none);
  // Those that did not fit begin the next page.
  const last = shown < actions.length ? actions[shown - 1] : undefined;
  const before = last?.offset ?? next;
  const older = before === null ? "" : link(pathTo("/audit", { before }), "Older ones", "next");
  return html`${markup} <p>${older}</p>`;
};

export const auditPage = async (context: ConsoleContext): Promise<Response> => {
  const { services, read } = context.var.site;
  const offset = context.req.query("before") ?? "";
  const before = /^\d{1,15}$/.test(offset) ? Number(offset) : null;
  const reading = await read(`audit ${offset}`, (_, signal) =>
    readAudit(services, { before, count: PER_PAGE }, signal),
  );
  return readingPage(context, reading, {
    title: "Audit",
    head: html`<h1>Audit <small>who did what, and what came of it; the newest first</small></h1>`,
    what: "The audit topic is being read",
    view: (shown) => auditView(shown, before === null),
  });
};
