import type { Doubt, OpenDoubts } from "../../operate/doubts/doubts.ts";
import { openProposals, type Proposal } from "../../operate/resolve/proposal.ts";
import { link, notice, pager, reading, table } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { pathTo } from "../html/path.ts";
import { ago, at, code, count, html, sentence, type Cell, type Html } from "../html/text.ts";
import type { ConsoleContext, Site } from "../site.ts";
import { failed } from "./problem.ts";
import { storySearch } from "./story.ts";

const PER_PAGE = 40;
const REFRESH_S = 10;
const REFRESH_SOON_S = 2;
const MAX_ID = 80;

export const doubtPath = ({ commandId, quoteId }: { commandId: string; quoteId: string | null }): string =>
  pathTo("/doubt", { command: commandId, quote: quoteId });

/** False where the last call is counted only because it may have left. */
export const isSureOfCalls = ({ error, attempts }: Doubt): boolean =>
  error !== null && error.code !== "OWNER_LOST" && attempts > 0;

const rowOf = (doubt: Doubt, nowMs: number): readonly Cell[] => {
  const { commandId, operation, quoteId, externalId, sinceMs, resolvableAtMs, attempts, httpStatus, error } =
    doubt;
  const calls = isSureOfCalls(doubt) ? `${count(attempts, "call")} sent` : "may have been sent";
  return [
    link(doubtPath(doubt), code(commandId, MAX_ID)),
    html`<strong>${ago(sinceMs, nowMs)}</strong><br />${at(sinceMs)}`,
    html`${operation === "ACCEPT_QUOTE" ? "accept" : "create a quote"} ${quoteId === null ? "" : code(quoteId, MAX_ID)}
      ${externalId === null ? "" : html`<br /><small>externalId ${code(externalId, MAX_ID)}</small>`}`,
    html`${calls}, ${httpStatus === null ? "no answer" : `HTTP ${httpStatus}`}
      ${error === null ? "" : html`<br /><small>${code(error.code, MAX_ID)}</small>`}`,
    resolvableAtMs <= nowMs ? "now" : ago(resolvableAtMs, nowMs),
  ];
};

const COLUMNS = ["command", "in doubt since", "what it asks for", "the call", "can be ended"];

export const doubtsTable = (doubts: readonly Doubt[], nowMs: number, empty: string) =>
  table(
    "Commands in doubt",
    COLUMNS,
    doubts.map((doubt) => rowOf(doubt, nowMs)),
    empty,
  );

/** With four eyes: what waits for a second person. */
export const readProposals = async ({ read, connections, settings }: Site): Promise<readonly Proposal[]> => {
  if (!settings.fourEyes) return [];
  const found = await read("proposals", (_, signal) => openProposals(connections, signal));
  return found.kind === "read" ? found.value : [];
};

/** How far the journal is read; null when it is read, and nothing is wrong. */
export const journalState = (opened: OpenDoubts): Html | null => {
  const { isComplete, problem, ...progress } = opened.progress();
  if (problem !== null)
    return notice("bad", html`<strong>The journal cannot be read.</strong> ${sentence(problem)}`);
  return isComplete
    ? null
    : reading("The journal is still being read, so there may be more in doubt", progress);
};

const listOf = async (context: ConsoleContext, opened: OpenDoubts): Promise<Html> => {
  const given = context.req.query("from") ?? "";
  const from = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  const doubts = await opened.list(from, PER_PAGE, context.req.raw.signal);
  const total = opened.numbers().doubts;
  const none = opened.progress().isComplete ? "No command is in doubt." : "None is known so far.";
  const empty = total > 0 ? "There are no more." : none;
  const { markup, shown } = doubtsTable(doubts, context.var.site.clock.now(), empty);
  const pages = { path: "/doubts", query: {}, from, shown };
  return html`${total === 0 ? "" : html`<p><strong>${count(total, "command is", "commands are")} in doubt.</strong></p>`}
    ${markup} ${pager(pages, { total, perPage: PER_PAGE }, ["Older", "Newer"])}`;
};

/** Commands in doubt, the oldest first. */
export const doubtsPage = async (context: ConsoleContext): Promise<Response> => {
  const now = await context.var.site.doubts.look();
  const head = html`<h1>Doubts <small>the oldest first</small></h1>
    <p>Commands of which nobody knows whether the partner executed them. The bridge does not send them again: somebody must
      ask the partner, and say here what is true.</p>`;
  if (now.kind !== "read") {
    const why =
      now.kind === "failed" ? failed(context, now.error) : reading("The journal is being opened", null);
    return page(context, { title: "Doubts", refreshS: REFRESH_SOON_S, body: html`${head} ${why}` });
  }
  const state = journalState(now.value);
  return page(context, {
    title: "Doubts",
    refreshS: state === null ? REFRESH_S : REFRESH_SOON_S,
    body: html`${head} ${state ?? ""} ${storySearch("", "30")} ${await listOf(context, now.value)}`,
  });
};
