import type { Doubt, OpenDoubts } from "../../operate/doubts/doubts.ts";
import { openProposals, type Proposal } from "../../operate/resolve/proposal.ts";
import { notice, reading, table, type Cell } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { code, count, formatCount, sentence } from "../html/text.ts";
import { ago, at } from "../html/time.ts";
import type { Reading, Report } from "../readings.ts";
import type { Answer, ConsoleContext, FoundDoubts, Site } from "../site.ts";
import { failed } from "./problem.ts";

const PER_PAGE = 40;
const REFRESH_S = 10;
const REFRESH_SOON_S = 2;
/** A search reads the result of each doubt. */
const SEARCH_STEP = 400;
const MAX_FOUND = 40;
const MAX_ID = 80;

export const doubtPath = ({ commandId, quoteId }: { commandId: string; quoteId: string | null }): string =>
  pathTo("/doubt", { command: commandId, quote: quoteId });

/** What the partner made of the call, as far as it is known. */
const answerOf = ({ attempts, httpStatus, error }: Doubt): Html => {
  const isLost = error === null || error.code === "OWNER_LOST";
  const calls = attempts === 0 || isLost ? "may have been sent" : `${count(attempts, "call")} sent`;
  return html`${calls}, ${httpStatus === null ? "no answer" : `HTTP ${httpStatus}`}
  ${error === null ? "" : html`<br /><small>${code(error.code, MAX_ID)}</small>`}`;
};

const rowOf =
  (nowMs: number) =>
  (doubt: Doubt): readonly Cell[] => {
    const { commandId, operation, quoteId, externalId, sinceMs, resolvableAtMs } = doubt;
    return [
      html`<a href="${doubtPath(doubt)}">${code(commandId, MAX_ID)}</a>`,
      html`<strong>${ago(sinceMs, nowMs)}</strong><br />${at(sinceMs)}`,
      html`${operation === "ACCEPT_QUOTE" ? "accept" : "create a quote"}
      ${quoteId === null ? "" : code(quoteId, MAX_ID)}
      ${externalId === null ? "" : html`<br /><small>externalId ${code(externalId, MAX_ID)}</small>`}`,
      answerOf(doubt),
      resolvableAtMs <= nowMs ? "now" : ago(resolvableAtMs, nowMs),
    ];
  };

export const doubtsTable = (doubts: readonly Doubt[], nowMs: number, empty: string) =>
  table({
    label: "Commands in doubt",
    columns: ["command", "in doubt since", "what it asks for", "the call", "can be ended"],
    rows: doubts.map(rowOf(nowMs)),
    empty,
  });

const searchForm = (q: string): Html =>
  html`<form class="panel filter" role="search" action="/doubts" method="get">
    <p class="field wide">
      <label for="q">Find a doubt by commandId, quoteId or externalId</label>
      <input id="q" name="q" value="${q}" autocomplete="off" spellcheck="false" />
    </p>
    <p><button>Find</button></p>
  </form>`;

const isAbout =
  (id: string) =>
  ({ commandId, quoteId, externalId }: Doubt): boolean =>
    // Spellings of a quoteId may differ in case.
    commandId === id || externalId === id || quoteId?.toLowerCase() === id.toLowerCase();

/** Reads what is known of each doubt, the oldest first, until enough are found. */
const search = async (
  opened: OpenDoubts,
  id: string,
  report: Report<FoundDoubts>,
  signal: AbortSignal,
): Promise<FoundDoubts> => {
  const found = await opened.find(id, signal);
  const total = opened.numbers().doubts;
  for (let from = 0; from < total && found.length < MAX_FOUND; from += SEARCH_STEP) {
    const some = await opened.list(from, SEARCH_STEP, signal);
    found.push(...some.filter((doubt) => doubt.commandId !== id && isAbout(id)(doubt)));
    report({ read: Math.min(from + SEARCH_STEP, total), total }, () => found);
  }
  return found;
};

/** With four eyes: what waits for a second person. */
export const readProposals = ({
  readings,
  connections,
  settings,
}: Site): Promise<Reading<readonly Proposal[]>> =>
  settings.fourEyes
    ? readings.proposals.get("", (_, signal) => openProposals(connections, signal))
    : Promise.resolve({ kind: "read", value: [], atMs: 0 });

const proposalsOf = (proposals: Reading<readonly Proposal[]>): Html | string => {
  const known = proposals.kind === "read" ? proposals.value : [];
  return known.length === 0
    ? ""
    : notice(
        "wait",
        html`<p>
          <strong>${count(known.length, "proposal waits", "proposals wait")} for a second person:</strong>
          ${known
            .slice(0, MAX_FOUND)
            .map(({ asked }) => html`<a href="${doubtPath(asked)}">${code(asked.commandId, MAX_ID)}</a> `)}
        </p>`,
      );
};

type Shown = { body: Html; isWhole: boolean };

const foundBody = async (context: ConsoleContext, opened: OpenDoubts, id: string): Promise<Shown> => {
  const { readings, clock } = context.var.site;
  const found = await readings.found.get(id, (report, signal) => search(opened, id, report, signal));
  if (found.kind === "failed") return { body: failed(context, found.error), isWhole: true };
  const doubts = found.kind === "read" ? found.value : (found.soFar ?? []);
  const isWhole = found.kind === "read";
  const { markup } = doubtsTable(
    doubts,
    clock.now(),
    "No doubt has this id. Upper and lower case count, except in a quoteId.",
  );
  return {
    isWhole,
    body: html`${isWhole ? "" : reading("The doubts are being searched", found.kind === "reading" ? found.progress : null)}
      ${isWhole || doubts.length > 0 ? markup : ""}
      <p>
        <a href="${pathTo("/story", { id })}">See what the topics hold of ${code(id)}</a>, also where it is
        not in doubt.
      </p>`,
  };
};

const listBody = async (context: ConsoleContext, opened: OpenDoubts): Promise<Shown> => {
  const { clock } = context.var.site;
  const given = context.req.query("from") ?? "";
  const from = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  const doubts = await opened.list(from, PER_PAGE, context.req.raw.signal);
  const total = opened.numbers().doubts;
  const isKnown = opened.progress().isComplete;
  const empty =
    total > 0 ? "There are no more: go back to the first ones." : "No command is known to be in doubt.";
  const { markup, shown } = doubtsTable(doubts, clock.now(), empty);
  return {
    isWhole: true,
    body: html`<p>
        ${total === 0 ? (isKnown ? "No command is in doubt." : "") : html`<strong>${count(total, "command is", "commands are")} in doubt.</strong>`}
      </p>
      ${total === 0 && isKnown ? "" : markup}
      <nav class="pager" aria-label="More doubts">
        ${from > 0 ? html`<a href="${pathTo("/doubts", { from: Math.max(0, from - PER_PAGE) || null })}" rel="prev">Older</a>` : ""}
        ${total > PER_PAGE ? html`<span>${formatCount(from + 1)} to ${formatCount(from + shown)} of ${formatCount(total)}</span>` : ""}
        ${from + shown < total ? html`<a href="${pathTo("/doubts", { from: from + shown })}" rel="next">Newer</a>` : ""}
      </nav>`,
  };
};

/** How far the journal is read; null when it is read, and nothing is wrong. */
export const journalState = (opened: OpenDoubts): Html | null => {
  const { isComplete, problem, ...progress } = opened.progress();
  if (problem !== null)
    return notice("bad", html`<p><strong>The journal cannot be read.</strong> ${sentence(problem)}</p>`);
  return isComplete
    ? null
    : reading("The journal is still being read, so there may be more in doubt", progress);
};

/** Commands in doubt, the oldest first. */
export const doubtsPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const [now, proposals] = await Promise.all([site.doubts.look(), readProposals(site)]);
  const q = (context.req.query("q") ?? "").trim();
  const show = (body: Html, refreshS: number | undefined): Answer =>
    page(context, {
      title: "Doubts",
      refreshS,
      body: html`<h1>Doubts <small>the oldest first</small></h1>
        <p>
          Commands of which nobody knows whether the partner executed them. The bridge does not send them
          again: somebody must ask the partner, and say here what is true.
        </p>
        ${body}`,
    });
  if (now.kind === "failed") return show(failed(context, now.error), REFRESH_S);
  if (now.kind === "opening") return show(reading("The journal is being opened", null), REFRESH_SOON_S);
  const state = journalState(now.doubts);
  const { body, isWhole } =
    q === "" ? await listBody(context, now.doubts) : await foundBody(context, now.doubts, q);
  const often = state === null && isWhole ? (q === "" ? REFRESH_S : undefined) : REFRESH_SOON_S;
  return show(html`${state ?? ""} ${proposalsOf(proposals)} ${searchForm(q)} ${body}`, often);
};
