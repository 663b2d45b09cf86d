import { readAudit, type AuditAction } from "../../operate/audit/entry.ts";
import { table, tag, type Cells } from "../html/elements.ts";
import { timeText, codeText, html, inlineText, type Cell } from "../html/text.ts";
import type { ConsoleContext } from "../site.ts";
import { readingPage } from "./problem.ts";

const MAX_SHOWN = 100;
const MAX_VALUE = 400;

const outcomeOf = ({ outcome }: AuditAction): Cell => {
  if (outcome === null) return tag("wait", "no outcome yet");
  const { kind, text } = outcome;
  const tone = kind === "done" ? "good" : kind === "failed" ? "bad" : "wait";
  return html`${tag(tone, inlineText(kind, 40))} ${inlineText(text, MAX_VALUE)}`;
};

const rowOf = (action: AuditAction): Cells => ({
  when: html`${timeText(action.atMs)}<br /><small>${inlineText(action.place)}</small>`,
  who: html`<strong>${inlineText(action.by, 80)}</strong><br /><small>${inlineText(action.from, 120)}</small>`,
  what: html`<strong>${inlineText(action.action, 40)}</strong> ${codeText(action.subject, 80)}
    ${inlineText(action.parameters, MAX_VALUE)}`,
  why: inlineText(action.note, MAX_VALUE),
  "what came of it": outcomeOf(action),
});

export const auditPage = async (context: ConsoleContext): Promise<Response> => {
  const reading = await context.var.site.read("audit", (tools) => readAudit(tools, 0));
  return readingPage(context, reading, {
    title: "Audit",
    head: html`<h1>Audit <small>who did what, and what came of it; the newest first</small></h1>`,
    what: "The audit topic is being read",
    view: (actions) => {
      const rows = actions.toReversed().slice(0, MAX_SHOWN).map(rowOf);
      return html`${table("What people did", rows, "Nobody has done anything yet.")}
        <p class="dim">Older ones: <code>cambio-bridge audit --since TIME</code></p>`;
    },
  });
};
