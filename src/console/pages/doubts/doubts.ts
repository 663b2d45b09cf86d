import type { Context } from "hono";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { doubtPath } from "../../html/paths.ts";
import { progressNotice } from "../../html/progress.ts";
import { table } from "../../html/elements.ts";
import { code, count, formatCount } from "../../html/text.ts";
import { ago, at } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Doubt } from "../../ports.ts";
import { isSureOfCalls } from "./doubt-facts.ts";

const PER_PAGE = 50;
const REFRESH_S = 10;

/** Whether a call may have reached the partner. */
const sentOf = (doubt: Doubt): string => {
  const { attempts, httpStatus } = doubt;
  if (attempts === 0 || !isSureOfCalls(doubt)) return "not known, it may have left";
  const answer = httpStatus === null ? "no answer" : `HTTP ${httpStatus}`;
  return `${count(attempts, "call")}, ${answer}`;
};

const readyOf = ({ resolvableAtMs }: Doubt, nowMs: number): Html | string => {
  if (resolvableAtMs === null) return "not known";
  return resolvableAtMs <= nowMs ? "now" : ago(resolvableAtMs, nowMs);
};

const row = (doubt: Doubt, nowMs: number): Html => {
  const { commandId, operation, quoteId, atMs, error } = doubt;
  return html`<tr>
    <th scope="row"><a href="${doubtPath(commandId)}">${code(commandId)}</a></th>
    <td><strong>${ago(atMs, nowMs)}</strong><br />${at(atMs)}</td>
    <td>
      ${operation === "ACCEPT_QUOTE" ? html`accept ${quoteId === null ? "" : code(quoteId)}` : "create a quote"}
    </td>
    <td>${sentOf(doubt)}</td>
    <td>${error === null ? "none" : code(error.code)}</td>
    <td>${readyOf(doubt, nowMs)}</td>
  </tr>`;
};

const pageNumber = (text: string | undefined): number =>
  /^[1-9]\d{0,6}$/.test(text ?? "") ? Number(text) : 1;

const pager = (number: number, total: number): Html => {
  const last = Math.max(1, Math.ceil(total / PER_PAGE));
  if (last === 1 && number === 1) return html``;
  return html`<nav class="pager" aria-label="More doubts">
    ${number > 1 ? html`<a href="/doubts?page=${Math.min(number - 1, last)}" rel="prev">Older</a>` : ""}
    <span>Page ${formatCount(number)} of ${formatCount(last)}</span>
    ${number < last ? html`<a href="/doubts?page=${number + 1}" rel="next">Newer</a>` : ""}
  </nav>`;
};

/** Commands in doubt, the oldest first. */
export const doubtsPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { queries, clock } = context.var.site;
  const number = pageNumber(context.req.query("page"));
  const { doubts, count: total, progress } = queries.doubts((number - 1) * PER_PAGE, PER_PAGE);
  const nowMs = clock.now();
  return page(context, {
    title: "Doubts",
    refreshS: REFRESH_S,
    isLive: true,
    body: html`
      <h1>Doubts <small>the oldest first</small></h1>
      <p>
        Commands of which nobody knows whether the partner executed them. The bridge does not send them again:
        somebody must ask the partner, and say here what is true.
      </p>
      <div id="doubts" data-live>
        ${progressNotice(progress, "The journal is still being read, so there may be more.")}
        <p>
          ${total === 0 ? "" : html`<strong>${count(total, "command is", "commands are")} in doubt.</strong>`}
        </p>
        ${table({
          label: "Commands in doubt",
          columns: [
            "command",
            "in doubt since",
            "what it asks for",
            "sent to the partner",
            "error",
            "can be ended",
          ],
          rows: doubts.map((doubt) => row(doubt, nowMs)),
          empty:
            total === 0
              ? "No command is known to be in doubt."
              : "This page is empty: go back to the first one.",
        })}
        ${pager(number, total)}
      </div>
    `,
  });
};
