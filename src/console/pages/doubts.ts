import type { Doubt, OpenDoubts } from "../../operate/doubts/doubts.ts";
import { openProposals, type Proposal } from "../../operate/resolve/proposal.ts";
import { link, notice, reading, searchForm, table } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { ago, at, code, count, formatCount, html, sentence, type Cell, type Html } from "../html/text.ts";
import type { Report } from "../readings.ts";
import type { ConsoleContext, Site } from "../site.ts";
import { failed } from "./problem.ts";

const PER_PAGE = 40;
const REFRESH_S = 10;
const REFRESH_SOON_S = 2;
/** A search reads the result of each doubt, so many at once. */
const SEARCH_STEP = 400;
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

/** Reads what is known of each doubt, the oldest first, until a page of them is found. */
const search = async (
  opened: OpenDoubts,
  id: string,
  report: Report,
  signal: AbortSignal,
): Promise<readonly Doubt[]> => {
  const found = await opened.find(id, signal);
  const total = opened.numbers().doubts;
  // Spellings of a quoteId may differ in case.
  const isAbout = ({ commandId, externalId, quoteId }: Doubt): boolean =>
    commandId !== id && (externalId === id || quoteId?.toLowerCase() === id.toLowerCase());
  for (let from = 0; from < total && found.length < PER_PAGE; from += SEARCH_STEP) {
    found.push(...(await opened.list(from, SEARCH_STEP, signal)).filter(isAbout));
    report({ read: Math.min(from + SEARCH_STEP, total), total }, () => found);
  }
  return found;
};

/** With four eyes: what waits for a second person. */
export const readProposals = async ({ read, connections, settings }: Site): Promise<readonly Proposal[]> => {
  if (!settings.fourEyes) return [];
  const found = await read("proposals", (_, signal) => openProposals(connections, signal));
  return found.kind === "read" ? found.value : [];
};

const proposalsOf = (known: readonly Proposal[]): Cell => {
  const links = known
    .slice(0, PER_PAGE)
    .map(({ asked }) => html`${link(doubtPath(asked), code(asked.commandId, MAX_ID))} `);
  const waiting = count(known.length, "proposal waits", "proposals wait");
  return known.length === 0
    ? ""
    : notice("wait", html`<strong>${waiting} for a second person:</strong> ${links}`);
};

type Shown = { body: Html; isWhole: boolean };

const foundBody = async (context: ConsoleContext, opened: OpenDoubts, id: string): Promise<Shown> => {
  const { read, clock } = context.var.site;
  const found = await read(`doubts ${id}`, (report, signal) => search(opened, id, report, signal));
  if (found.kind === "failed") return { body: failed(context, found.error), isWhole: true };
  const isWhole = found.kind === "read";
  const doubts = isWhole ? found.value : (found.soFar ?? []);
  const none = "No doubt has this id. Upper and lower case count, except in a quoteId.";
  const { markup } = doubtsTable(doubts, clock.now(), none);
  const story = link(pathTo("/story", { id }), html`See what the topics hold of ${code(id)}`);
  return {
    isWhole,
    body: html`${isWhole ? "" : reading("The doubts are being searched", found.progress)}
      ${isWhole || doubts.length > 0 ? markup : ""} <p>${story}, also where it is not in doubt.</p>`,
  };
};

const listBody = async (context: ConsoleContext, opened: OpenDoubts): Promise<Shown> => {
  const given = context.req.query("from") ?? "";
  const from = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  const doubts = await opened.list(from, PER_PAGE, context.req.raw.signal);
  const total = opened.numbers().doubts;
  const none = opened.progress().isComplete ? "No command is in doubt." : "None is known so far.";
  const { markup, shown } = doubtsTable(
    doubts,
    context.var.site.clock.now(),
    total > 0 ? "There are no more." : none,
  );
  const next = from + shown;
  const older = link(pathTo("/doubts", { from: Math.max(0, from - PER_PAGE) || null }), "Older", "prev");
  const newer = link(pathTo("/doubts", { from: next }), "Newer", "next");
  const body = html`${total === 0 ? "" : html`<p><strong>${count(total, "command is", "commands are")} in doubt.</strong></p>`}
    ${markup}
    <nav class="pager" aria-label="More doubts">
      ${from > 0 ? older : ""} ${total > PER_PAGE ? `${formatCount(from + 1)} to ${formatCount(next)}` : ""}
      ${next < total ? newer : ""}
    </nav>`;
  return { body, isWhole: true };
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

/** Commands in doubt, the oldest first. */
export const doubtsPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const [now, proposals] = await Promise.all([site.doubts.look(), readProposals(site)]);
  const q = (context.req.query("q") ?? "").trim();
  const title = "Doubts";
  const head = html`<h1>Doubts <small>the oldest first</small></h1>
    <p>Commands of which nobody knows whether the partner executed them. The bridge does not send them again: somebody must
      ask the partner, and say here what is true.</p>`;
  if (now.kind !== "open") {
    const why =
      now.kind === "failed" ? failed(context, now.error) : reading("The journal is being opened", null);
    return page(context, { title, refreshS: REFRESH_SOON_S, body: html`${head} ${why}` });
  }
  const state = journalState(now.doubts);
  const { body, isWhole } = await (q === ""
    ? listBody(context, now.doubts)
    : foundBody(context, now.doubts, q));
  const form = searchForm("/doubts", "q", "Find a doubt by commandId, quoteId or externalId", q);
  return page(context, {
    title,
    refreshS: state !== null || !isWhole ? REFRESH_SOON_S : q === "" ? REFRESH_S : undefined,
    body: html`${head} ${state ?? ""} ${proposalsOf(proposals)} ${form} ${body}`,
  });
};
