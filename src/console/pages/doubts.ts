import { callsOf } from "../../operate/doubts/about.ts";
import type { Doubt, OpenDoubts } from "../../operate/doubts/doubts.ts";
import { recentProposals, type Proposal } from "../../operate/resolve/proposal.ts";
import { further, link, notice, pathTo, reading, startOf, table } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import {
  ago,
  at,
  code,
  count,
  html,
  inlineText,
  sentence,
  when,
  type Cell,
  type Html,
} from "../html/text.ts";
import type { Reading } from "../readings.ts";
import type { ConsoleContext, Site } from "../site.ts";
import { failed, RELOAD_S } from "./problem.ts";

const PER_PAGE = 40;
const REFRESH_S = 10;
const MAX_ID = 80;

export const doubtPath = ({ commandId, quoteId }: { commandId: string; quoteId: string | null }): string =>
  pathTo("/doubt", { command: commandId, quote: quoteId });

const rowOf = (doubt: Doubt, nowMs: number): readonly Cell[] => {
  const { commandId, operation, quoteId, externalId, sinceMs, resolvableAtMs, httpStatus, error } = doubt;
  return [
    link(doubtPath(doubt), code(commandId, MAX_ID)),
    when(sinceMs, nowMs),
    html`${operation === "ACCEPT_QUOTE" ? "accept" : "create a quote"} ${quoteId === null ? "" : code(quoteId, MAX_ID)}
      ${externalId === null ? "" : html`<br /><small>externalId ${code(externalId, MAX_ID)}</small>`}`,
    html`${callsOf(doubt)}, ${httpStatus === null ? "no answer" : `HTTP ${httpStatus}`}
      ${error === null ? "" : html`<br /><small>${code(error.code, MAX_ID)}</small>`}`,
    resolvableAtMs <= nowMs ? "now" : ago(resolvableAtMs, nowMs),
  ];
};

export const doubtsTable = (doubts: readonly Doubt[], nowMs: number, empty: string) => {
  const columns = ["command", "in doubt since", "what it asks for", "the call", "can be resolved"];
  const rows = doubts.map((doubt) => rowOf(doubt, nowMs));
  return table("Commands in doubt", columns, rows, empty);
};

/** With four eyes: what people proposed in the last day. */
export const readProposals = ({ read, services }: Site): Promise<Reading<Proposal[]>> =>
  read("proposals", (_, signal) => recentProposals(services, signal));

const proposalRow = ({ ref, request, by, note, untilMs }: Proposal): readonly Cell[] => [
  link(doubtPath(request), code(request.commandId, MAX_ID)),
  html`<strong>${request.as === "succeeded" ? "executed" : "not executed"}</strong>${request.force ? ", with force" : ""}`,
  html`${inlineText(by, MAX_ID)}: ${inlineText(note, 400)}`,
  code(ref),
  at(untilMs),
];

/** What waits for a second person; nothing where nothing does. */
const proposalsTable = (proposals: readonly Proposal[]): Cell =>
  proposals.length === 0
    ? ""
    : html`<h2>Proposals that wait for a second person</h2>
        ${
          table(
            "Proposals that wait for a second person",
            ["command", "proposed outcome", "by, and why", "REF", "to be confirmed until"],
            proposals.map(proposalRow),
            "",
          ).markup
        }`;

/** Why the journal cannot be read, or how far it is read; null when all of it is read, just now. */
export const journalState = (
  context: ConsoleContext,
  { value, error, isReading }: Reading<OpenDoubts>,
): Html | null => {
  if (error !== null) return failed(context, error);
  const { isComplete = false, problem = null, ...progress } = value?.progress() ?? { read: 0, total: 0 };
  if (problem !== null)
    return notice("bad", html`<strong>The journal cannot be read.</strong> ${sentence(problem)}`);
  if (isComplete) return isReading ? reading("What is in doubt now", null) : null;
  return reading("The journal is still being read, so there may be more in doubt", progress);
};

const listOf = async (
  context: ConsoleContext,
  { value: opened, atMs }: Reading<OpenDoubts>,
  isCurrent: boolean,
): Promise<Html | string> => {
  if (opened === null) return "";
  const { read, clock } = context.var.site;
  const from = startOf(context.req.query("from"));
  const list = await read(`doubts from ${from}`, (_, signal) => opened.list(from, PER_PAGE, signal), 0);
  if (list.value === null) return list.error === null ? "" : failed(context, list.error);
  const total = opened.numbers().doubts;
  const nowMs = clock.now();
  const older = atMs === null ? "so far" : ago(atMs, nowMs);
  const empty = isCurrent ? "No command is in doubt." : `No doubt was known ${older}.`;
  const { markup, shown } = doubtsTable(list.value, nowMs, empty);
  const next = pathTo("/doubts", { from: from + shown });
  return html`${
    total === 0
      ? ""
      : html`<p><strong>${count(total, "command is", "commands are")}
    in doubt${isCurrent ? "" : `, as was known ${older}`}.</strong></p>`
  }
    ${markup} ${further(shown, total, from, next)}`;
};

/** Commands in doubt, the oldest first. */
export const doubtsPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const [journal, proposals] = await Promise.all([site.doubts.look(), readProposals(site)]);
  const state = journalState(context, journal);
  return page(context, {
    title: "Doubts",
    refreshS: state === null ? REFRESH_S : RELOAD_S,
    body: html`<h1>Doubts <small>the oldest first</small></h1>
      <p>Commands of which nobody knows whether the partner executed them. The bridge does not send them again:
        somebody must ask the partner, and say here what is true.</p>
      ${state !== null || proposals.error === null ? "" : failed(context, proposals.error)}
      ${proposalsTable(journal.value?.waiting(proposals.value ?? []) ?? [])}
      ${state ?? ""} ${await listOf(context, journal, state === null)}`,
  });
};
