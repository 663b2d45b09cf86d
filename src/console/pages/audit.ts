import type { Context } from "hono";
import { page } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { commandPath, letterPath } from "../html/paths.ts";
import { table, tag, type Tone } from "../html/elements.ts";
import { code, inlineText } from "../html/text.ts";
import { ago, at } from "../html/time.ts";
import type { ConsoleEnv } from "../options.ts";
import type { AuditLine } from "../ports.ts";
import { readRef } from "../../operator/replay/dead-letter.ts";
import { placeText } from "../../runtime/record-position.ts";
import { askOrRemember } from "./ask-kafka.ts";

const TONES: Readonly<Record<string, Tone>> = {
  done: "good",
  refused: "wait",
  proposed: "wait",
  failed: "bad",
};

const subjectOf = ({ action, subject }: AuditLine): Html => {
  if (action === "resolve") return html`<a href="${commandPath(subject)}">${code(subject)}</a>`;
  if (readRef(subject) !== null) return html`<a href="${letterPath(subject)}">${code(subject)}</a>`;
  return code(subject);
};

const outcomeOf = ({ outcome }: AuditLine): Html =>
  outcome === null
    ? html`<span class="dim">asked for</span>`
    : html`${tag(TONES[outcome.kind] ?? "plain", inlineText(outcome.kind))} ${inlineText(outcome.text, 1_000)}`;

const row = (line: AuditLine, nowMs: number): Html => {
  const { atMs, place, actionId, action, by, note, from, parameters } = line;
  return html`<tr>
    <td>${at(atMs)}<br /><span class="dim">${ago(atMs, nowMs)}</span></td>
    <th scope="row">${inlineText(by)}</th>
    <td>
      <strong>${inlineText(action)}</strong> ${subjectOf(line)}<br /><span class="dim"
        >${inlineText(parameters, 500)}</span
      >
    </td>
    <td class="long">${outcomeOf(line)}</td>
    <td>${inlineText(note, 1_000)}</td>
    <td>
      ${inlineText(from.program)} on ${inlineText(from.host)} as
      ${inlineText(from.user)}${from.address === "" ? "" : html`, for ${inlineText(from.address)}`}<br />
      <span class="dim">${code(placeText(place.topic, place))}, action ${code(actionId)}</span>
    </td>
  </tr>`;
};

const beforeIn = (text: string | undefined): number | null =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : null;

/** The audit entries, the newest first. */
export const auditPage = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const { queries, clock, lastAudit } = context.var.site;
  const before = beforeIn(context.req.query("before"));
  const { answer, age } = await askOrRemember(context, lastAudit, (signal) => queries.audit(before, signal));
  const { lines, next } = answer;
  const nowMs = clock.now();
  return page(context, {
    title: "Audit",
    body: html`
      <h1>Audit <small>the newest first</small></h1>
      ${age}
      <p>
        What people did, from the console and from the command line: a line before each action, and one with
        what came of it.
      </p>
      ${table({
        label: "Audit",
        columns: ["time", "who", "what", "what came of it", "why", "from where, and where it stands"],
        rows: lines.map((line) => row(line, nowMs)),
        empty: before === null ? "Nobody did anything yet." : "There is nothing older.",
      })}
      <nav class="pager" aria-label="More of the audit">
        ${before === null ? "" : html`<a href="/audit">Newest</a>`}
        ${next === null ? html`<span>This is the end.</span>` : html`<a href="/audit?before=${next}" rel="next">Older</a>`}
      </nav>
    `,
  });
};
