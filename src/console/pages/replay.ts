import { refOf, readRef } from "../../operate/dead-letters/letter.ts";
import { planReplay, type ReplayRequest } from "../../operate/dead-letters/make-plan.ts";
import { planLines, type Plan, type Planned } from "../../operate/dead-letters/plan.ts";
import { replay, type ReplayOutcome } from "../../operate/dead-letters/replay.ts";
import type { LetterEnd } from "../../operate/dead-letters/targets.ts";
import { actorOf, begin, canAct, failureOf, formOf, noteField, noteProblem, taskField } from "../act.ts";
import { notice, reading, table } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { code, count, formatCount, inlineText, sentence } from "../html/text.ts";
import type { Answer, ConsoleContext } from "../site.ts";
import { filterOf, queryOf, selectionOf, type Filter } from "./dead-letters.ts";
import { failed } from "./problem.ts";

const REFRESH_S = 2;
/** All letters of a replay are held in memory. */
const MAX_LETTERS = 10_000;
const MAX_LINES = 40;
const MAX_ENDS = 100;

const requestOf = (filter: Filter, given: readonly string[]): ReplayRequest => {
  const refs = given.slice(0, MAX_ENDS).flatMap((text) => readRef(text) ?? []);
  return { letters: refs.length > 0 ? { refs } : selectionOf(filter), maxLetters: MAX_LETTERS };
};

const lines = (plan: Plan): Html => {
  const all = planLines(plan);
  return html`<pre><bdi>${all.slice(0, MAX_LINES).map((line) => html`${sentence(line)} `)}</bdi></pre>
    ${all.length > MAX_LINES ? html`<p class="dim">And ${all.length - MAX_LINES} lines more.</p>` : ""}`;
};

const sendForm = (plan: Plan, filter: Filter, refs: readonly string[], note: string): Html =>
  html`<form method="post" action="/replay" class="panel">
    <h2>Replay</h2>
    ${taskField()}
    ${Object.entries(queryOf(filter)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${refs.map((ref) => html`<input type="hidden" name="ref" value="${ref}" />`)}
    <p>
      Each goes back to where it came from, with its original bytes and headers. What was sent stands in the
      audit topic.
    </p>
    ${noteField("Why they can be understood now.", note)}
    <p><button class="main">Send ${count(plan.send.length, "dead letter")}</button></p>
  </form>`;

/** The plan of a replay, and the form that carries it out. */
const showPlan = async (
  context: ConsoleContext,
  filter: Filter,
  refs: readonly string[],
  before: { note: string; problem: string } | null,
): Promise<Response> => {
  const { site } = context.var;
  const request = requestOf(filter, refs);
  const found = await site.readings.plans.get(JSON.stringify([filter, refs]), (onProgress, signal) =>
    planReplay(site.connections, request, { onProgress }, signal),
  );
  const show = (body: Html, refreshS?: number): Answer =>
    page(context, {
      title: "Replay",
      status: before === null ? 200 : 422,
      refreshS,
      body: html`<h1>Plan of a replay</h1>
        ${before ? notice("bad", html`<p><strong>Nothing was done.</strong> ${before.problem}</p>`) : ""}
        ${body}`,
    });
  if (found.kind === "failed") return show(failed(context, found.error));
  if (found.kind === "reading")
    return show(reading("The dead letters are being read", found.progress), REFRESH_S);
  const plan = found.value;
  const may = canAct(context)
    ? sendForm(plan, filter, refs, before?.note ?? "")
    : html`<p>An operator may send them.</p>`;
  return show(
    html`${lines(plan)} ${plan.send.length === 0 ? html`<p>There is nothing to send.</p>` : may}
      <p><a href="/dead-letters">Go back to the dead letters</a></p>`,
  );
};

export const planPage = (context: ConsoleContext): Answer => {
  const refs = context.req.queries("ref") ?? [];
  const filter = filterOf(context);
  // The plan is of one time: no newer letter slips in between plan and replay.
  if (refs.length === 0 && context.req.query("until") === undefined)
    return context.redirect(
      `/replay?${new URLSearchParams({ ...queryOf(filter), until: String(filter.untilMs) }).toString()}`,
      303,
    );
  return showPlan(context, refs.length === 0 ? filter : { ...filter, untilMs: 0 }, refs, null);
};

type Run = {
  plan: Plan | null;
  counts: Record<LetterEnd["end"], number>;
  /** The first ones that went wrong, and some that did not. */
  ends: { planned: Planned; end: LetterEnd }[];
  warnings: string[];
};

const WORDS = { sent: "sent", left: "not sent", unknown: "sent, but not acknowledged" } as const;

const countsOf = ({ counts, plan }: Run): string => {
  const { sent, left, unknown } = counts;
  const total = plan?.send.length ?? 0;
  const others = [
    left > 0 ? `${formatCount(left)} not sent` : "",
    unknown > 0 ? `${formatCount(unknown)} sent, but not acknowledged` : "",
  ];
  return [`${formatCount(sent)} of ${formatCount(total)} sent`, ...others.filter((text) => text !== "")].join(
    ", ",
  );
};

const endsTable = ({ ends }: Run): Html =>
  table({
    label: "What came of each dead letter",
    columns: ["letter", "", "where it stands, or why not"],
    rows: ends.map(({ planned, end }) => [
      refOf(planned.letter.place),
      WORDS[end.end],
      end.end === "sent" ? code(end.where) : inlineText(end.reason),
    ]),
    empty: "None was sent.",
  }).markup;

const runView =
  (run: Run, title: string, more: Html, refreshS?: number) =>
  (context: ConsoleContext): Answer =>
    page(context, {
      title: "Replay",
      refreshS,
      body: html`<h1>${title}</h1>
        ${more}
        ${run.warnings.slice(0, MAX_LINES).map((text) => notice("wait", html`<p>${sentence(text)}</p>`))}
        ${
          run.plan === null
            ? ""
            : html`<h2>The plan</h2>
                ${lines(run.plan)}`
        }
        <h2>Letters</h2>
        ${endsTable(run)}
        <p><a href="/dead-letters">Go back to the dead letters</a> · <a href="/audit">Audit</a></p>`,
    });

const endedView = (run: Run, { unsent, reason }: Omit<ReplayOutcome, "plan">) => {
  const isGood = unsent === 0 && run.counts.left === 0 && run.counts.unknown === 0;
  const rest =
    unsent === 0
      ? ""
      : html` ${count(unsent, "letter")} had no turn: ${sentence(reason ?? "")}. Plan it again.`;
  return runView(
    run,
    "The replay has ended",
    notice(isGood ? "good" : "wait", html`<p><strong>${countsOf(run)}.</strong>${rest}</p>`),
  );
};

const progressOf = (run: Run, taskId: string): Html => {
  const done = run.counts.sent + run.counts.left + run.counts.unknown;
  return html`${reading(`The replay goes on, also when nobody looks: ${countsOf(run)}`, run.plan && { read: done, total: run.plan.send.length })}
    <form method="post" action="/tasks/${taskId}/stop">
      <p><button>Stop after the letters that are under way</button></p>
    </form>`;
};

export const beginReplay = async (context: ConsoleContext): Promise<Response> => {
  const { connections } = context.var.site;
  const form = await formOf(context);
  const note = form.get("note") ?? "";
  const actor = actorOf(context, note);
  const refs = form.getAll("ref");
  const filter: Filter = {
    reason: form.get("reason") ?? "",
    period: form.get("period") ?? "",
    untilMs: Number(form.get("until") ?? "0"),
  };
  const problem = noteProblem(note);
  if (problem !== null) return showPlan(context, filter, refs, { note, problem });
  const run: Run = { plan: null, counts: { sent: 0, left: 0, unknown: 0 }, ends: [], warnings: [] };
  const ended = (planned: Planned, end: LetterEnd): void => {
    run.counts[end.end] += 1;
    if (end.end !== "sent") run.ends.unshift({ planned, end });
    else run.ends.push({ planned, end });
    run.ends.splice(MAX_ENDS);
  };
  return begin(context, form, "replay", {
    meanwhile: (asking) =>
      runView(run, "The replay goes on", progressOf(run, form.get("task") ?? ""), REFRESH_S)(asking),
    run: async (stopped) => {
      try {
        const hooks = {
          planned: (plan: Plan) => void (run.plan = plan),
          ended,
          warn: (text: string) => void run.warnings.push(text),
        };
        return endedView(run, await replay(connections, actor, requestOf(filter, refs), hooks, stopped));
      } catch (error) {
        const reason = failureOf(context, error);
        return runView(
          run,
          "The replay has failed",
          notice("bad", html`<p><strong>${countsOf(run)}.</strong> ${sentence(reason)}</p>`),
        );
      }
    },
  });
};
