import { callsOf } from "../../operate/doubts/about.ts";
import { proposalsOf, type Doubt, type OpenDoubts } from "../../operate/doubts/doubts.ts";
import { recentProposals, type Proposal } from "../../operate/resolve/proposal.ts";
import { link, notice, pathTo, reading, table, type Cells } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { ago, timeText, codeText, count, html, inlineText, sentence, timeAndAge } from "../html/text.ts";
import type { Cell, Html } from "../html/text.ts";
import type { Reading } from "../readings.ts";
import type { ConsoleContext, Site } from "../site.ts";
import { failed, RELOAD_S } from "./problem.ts";

const MAX_SHOWN = 40;
const REFRESH_S = 10;
const MAX_ID = 80;
export const STILL_READING = "The journal is still being read, so there may be more in doubt";

export const doubtPath = ({ commandId, quoteId }: { commandId: string; quoteId: string | null }): string =>
  pathTo("/doubt", { command: commandId, quote: quoteId });

const rowOf = (doubt: Doubt, proposals: readonly Proposal[], nowMs: number): Cells => {
  const { commandId, quoteId, externalId, sinceMs, resolvableAtMs, httpStatus, error } = doubt;
  const proposalNotes = proposalsOf(doubt, proposals).map(
    ({ ref, request: { as, force }, by, untilMs }) =>
      html`<br /><small>${inlineText(by, MAX_ID)} proposes
        <strong>${as === "succeeded" ? "executed" : "not executed"}</strong>${force && ", with force"}: REF ${ref}, to be
        confirmed until ${timeText(untilMs)}</small>`,
  );
  return {
    command: link(doubtPath(doubt), codeText(commandId, MAX_ID)),
    "in doubt since": timeAndAge(sinceMs, nowMs),
    "what it asks for": html`accept ${codeText(quoteId, MAX_ID)}
      ${externalId && html`<br /><small>externalId ${codeText(externalId, MAX_ID)}</small>`}`,
    "the call": html`${callsOf(doubt)}, ${httpStatus === null ? "no answer" : `HTTP ${httpStatus}`}
      ${error && html`<br /><small>${codeText(error.code, MAX_ID)}</small>`}`,
    "can be resolved": html`${resolvableAtMs <= nowMs ? "now" : ago(resolvableAtMs, nowMs)}${proposalNotes}`,
  };
};

export const doubtsTable = (
  doubts: readonly Doubt[],
  nowMs: number,
  proposals: readonly Proposal[] = [],
  empty = "",
  total = doubts.length,
): Html => {
  const rows = doubts.map((doubt) => rowOf(doubt, proposals, nowMs));
  return table("Commands in doubt", rows, empty, total, "cambio-bridge doubts");
};

export const readProposals = ({ read }: Site): Promise<Reading<Proposal[]>> =>
  read("proposals", recentProposals);

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
  return reading(STILL_READING, progress);
};

const listOf = async (
  context: ConsoleContext,
  { value: opened, atMs }: Reading<OpenDoubts>,
  proposals: readonly Proposal[],
  isCurrent: boolean,
): Promise<Cell> => {
  if (opened === null) return null;
  const { read, clock } = context.var.site;
  const list = await read("oldest doubts", () => opened.list(MAX_SHOWN, proposals), 0);
  if (list.value === null) return list.error !== null && failed(context, list.error);
  const total = opened.numbers().doubts;
  const nowMs = clock.now();
  const age = atMs === null ? "so far" : ago(atMs, nowMs);
  const empty = isCurrent ? "No command is in doubt." : `No doubt was known ${age}.`;
  const counts = html`<p><strong>${count(total, "command is", "commands are")}
    in doubt${!isCurrent && `, as was known ${age}`}.</strong></p>`;
  return html`${total > 0 && counts} ${doubtsTable(list.value, nowMs, proposals, empty, total)}`;
};

export const doubtsPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const [journal, proposals] = await Promise.all([site.doubts.look(), readProposals(site)]);
  const state = journalState(context, journal);
  return page(context, {
    title: "Doubts",
    refreshS: state === null ? REFRESH_S : RELOAD_S,
    body: html`<h1>Doubts <small>with a proposal first, then the oldest</small></h1>
      <p>Commands of which nobody knows whether the partner executed them. The bridge does not send them again:
        somebody must ask the partner, and say here what is true.</p>
      ${state === null && proposals.error !== null && failed(context, proposals.error)}
      ${state} ${await listOf(context, journal, proposals.value ?? [], state === null)}`,
  });
};
