import type { Context } from "hono";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { idInUrl, transactionPath } from "../../html/paths.ts";
import { progressNotice } from "../../html/progress.ts";
import { table, tag } from "../../html/elements.ts";
import { block, code, inlineText } from "../../html/text.ts";
import { ago, at, when } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { PublishedStatus, TransactionHistory } from "../../ports.ts";
import { Problem } from "../../problem.ts";
import { placeText } from "../../../runtime/record-position.ts";
import { notesOf } from "./command.ts";
import { statusLine, type Stop } from "./status-line.ts";
import { windowChoice, windowIn } from "./time-window.ts";

const REFRESH_S = 2;
const MAX_ROWS = 1_000;

const DIRECTIONS = {
  INBOUND: "Inbound: money comes to Brazil.",
  OUTBOUND: "Outbound: money leaves Brazil.",
  UNKNOWN: "Which way the money goes is not known.",
} as const;

/** Labels of a status. */
const marks = ({ stage, outOfOrder, source }: PublishedStatus): Html => html`
  ${stage === "ISSUE" ? tag("bad", "issue") : ""}
  ${stage === "CANCELED" || stage === "REFUNDED" ? tag("bad", stage.toLowerCase()) : ""}
  ${stage === "COMPLETED" ? tag("good", "completed") : ""}
  ${stage === "UNKNOWN" ? tag("wait", "unknown to the bridge") : ""}
  ${outOfOrder ? tag("wait", "out of order") : ""}
  ${source === "NOTIFICATION_LOG" ? tag("wait", "back-filled from the partner's log") : ""}
`;

const stopItem = ({ status, isMain, seen, isLatest }: Stop, nowMs: number): Html => {
  const [first] = seen;
  const state = first === undefined ? "ahead" : isMain ? "reached" : "beside";
  const since = first?.occurredAtMs ?? first?.receivedAtMs ?? null;
  return html`<li
    class="stop ${state} ${isLatest ? "latest" : ""}"
    ${isLatest ? html`aria-current="step"` : ""}
  >
    <span class="dot" aria-hidden="true">${first === undefined ? "○" : isMain ? "●" : "!"}</span>
    <div>
      <strong>${code(status)}</strong>
      ${isLatest ? html`<span class="tag plain">the latest</span>` : ""}
      ${first === undefined ? html`<span class="dim">not seen</span>` : marks(first)}
      ${since === null ? "" : html`<br />${when(since, nowMs)}`}
      ${seen.length > 1 ? html` <span class="dim">${seen.length} times</span>` : ""}
    </div>
  </li>`;
};

const statusRow = (seen: PublishedStatus, index: number, nowMs: number): Html => {
  const { status, stage, occurredAtMs, receivedAtMs, eventId, place, payload } = seen;
  return html`<tr>
    <th scope="row">${code(status)}<br />${marks(seen)}</th>
    <td>${inlineText(stage)}</td>
    <td>${occurredAtMs === null ? "not readable" : at(occurredAtMs)}</td>
    <td>${at(receivedAtMs)}<br /><span class="dim">${ago(receivedAtMs, nowMs)}</span></td>
    <td>
      ${code(placeText(place.topic, place))}
      <details id="event-${index}">
        <summary>Content</summary>
        <p>Event ${code(eventId)}</p>
        ${block(payload, `Content of status ${index + 1}`)}
      </details>
    </td>
  </tr>`;
};

const history = (
  { direction, mainFlow, statuses }: TransactionHistory,
  isOpen: boolean,
  nowMs: number,
): Html => {
  if (statuses.length === 0)
    return html`<p class="none">
      ${isOpen ? "Nothing was found so far." : "No status of this id was published in that time. Check its spelling, or look further back."}
    </p>`;
  const stops = statusLine(mainFlow, statuses.slice(-MAX_ROWS));
  return html`<p><strong>${DIRECTIONS[direction]}</strong></p>
    <h2>
      Its way
      <small>${mainFlow.length === 0 ? "by time" : "the usual order; what is beside it is marked"}</small>
    </h2>
    <ol class="flow">
      ${stops.map((stop) => stopItem(stop, nowMs))}
    </ol>
    <h2>Published statuses <small>by the time of their publication</small></h2>
    ${statuses.length > MAX_ROWS ? html`<p>Only the last ${MAX_ROWS} of ${statuses.length} are shown.</p>` : ""}
    ${table({
      label: "Published statuses",
      columns: ["status", "stage", "it happened (partner)", "received", "stands at"],
      rows: statuses.slice(-MAX_ROWS).map((seen, index) => statusRow(seen, index, nowMs)),
      empty: "None.",
    })}`;
};

/** The history of one transaction. */
export const transactionPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { queries, clock } = context.var.site;
  const id = idInUrl(context.req.url);
  if (id === null) throw new Problem(400, "The address holds no id.", "Look for the id above.");
  const nowMs = clock.now();
  const window = windowIn(context.req.query("since"), nowMs);
  const found = queries.transaction(id, window.sinceMs);
  const { progress, notes } = found;
  const isOpen = !progress.isComplete && progress.problem === null;
  return page(context, {
    title: "Transaction",
    ...(isOpen && { refreshS: REFRESH_S }),
    isLive: true,
    body: html`
      <h1>Transaction ${inlineText(id)}</h1>
      ${windowChoice(transactionPath(id), window)}
      <div id="history" data-live ${isOpen ? html`data-soon` : ""}>
        ${notesOf(notes)} ${progressNotice(progress, "The topic is being read.")}
        ${history(found, isOpen, nowMs)}
      </div>
    `,
  });
};
