import { planLines, planReplay, type Plan } from "../../operate/dead-letters/plan.ts";
import type { Selection } from "../../operate/dead-letters/read.ts";
import { replay } from "../../operate/dead-letters/replay.ts";
import type { LetterEnd } from "../../operate/dead-letters/targets.ts";
import { readRef } from "../../operate/read-topic.ts";
import type { Tools } from "../../operate/tools.ts";
import { actorOfRequest, begin, canAct, formOf, noteField, noteProblem, taskField } from "../act.ts";
import { hidden, notice, pathTo, table, type Tone } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { codeText, count, formatCount, html, inlineText, sentence, type Html } from "../html/text.ts";
import type { PageAnswer, ConsoleContext } from "../site.ts";
import { filterOf, selectionOf, type Filter } from "./dead-letters.ts";
import { readingPage, RELOAD_S } from "./problem.ts";

const PLAN_MS = 60_000;
const MAX_LINES = 40;
const MAX_ENDS = 100;

type Scope = { filter: Filter; ref: string };

const toSelection = ({ filter, ref }: Scope): Selection => {
  const place = readRef(ref);
  return place ? { refs: [place] } : selectionOf(filter);
};

const sendForm = (plan: Plan, { filter, ref }: Scope, note: string): Html =>
  html`<form method="post" action="/replay" class="panel">
    <h2>Replay</h2>
    ${taskField()} ${Object.entries(filter).map(([name, value]) => hidden(name, value))}
    ${hidden("ref", ref)}
    <p>Each goes back to where it came from, with its original bytes and headers.</p>
    ${noteField("Why they can be understood now.", note)}
    <p><button class="main">Send ${count(plan.send.length, "dead letter")}</button></p>
  </form>`;

/** The plan of a replay, and the form that carries it out. `problem`: of the form as it was sent before. */
const showPlan = async (
  context: ConsoleContext,
  scope: Scope,
  note = "",
  problem: string | null = null,
): Promise<Response> => {
  const planOf = async (tools: Tools): Promise<Plan> => (await planReplay(tools, toSelection(scope))).plan;
  const reading = await context.var.site.read(JSON.stringify(["plan", scope]), planOf, PLAN_MS);
  const why = problem && notice("bad", html`<strong>Nothing was done.</strong> ${problem}`);
  return readingPage(context, reading, {
    title: "Replay",
    head: html`<h1>Plan of a replay</h1> ${why}`,
    what: "The dead letters are being read",
    view: (plan) => {
      const lines = planLines(plan).slice(0, MAX_LINES);
      const form = canAct(context) ? sendForm(plan, scope, note) : html`<p>An operator may send them.</p>`;
      return html`<pre><bdi>${lines.map((line) => html`${sentence(line)}\n`)}</bdi></pre>
        ${plan.send.length === 0 ? html`<p>There is nothing to send.</p>` : form}
        <p><a href="/dead-letters">Go back to the dead letters</a></p>`;
    },
  });
};

export const planPage = (context: ConsoleContext): PageAnswer => {
  const query = (name: string): string | undefined => context.req.query(name);
  const ref = query("ref") ?? "";
  const filter = filterOf(query, context.var.site.clock.now());
  // The address holds the time of the plan, so that a reload shows the same letters.
  return ref === "" && query("until") === undefined
    ? context.redirect(pathTo("/replay", filter), 303)
    : showPlan(context, { filter, ref });
};

type Run = { plan: Plan | null; ends: { ref: string; end: LetterEnd }[]; warnings: string[] };

const WORDS = { sent: "sent", left: "not sent", unknown: "sent, but not acknowledged" } as const;

const runPage = (
  context: ConsoleContext,
  { plan, ends, warnings }: Run,
  title: string,
  state: { tone: Tone; more: string; refreshS?: number },
): PageAnswer => {
  const { sent = [], others = [] } = Object.groupBy(ends, ({ end }) =>
    end.end === "sent" ? "sent" : "others",
  );
  const rows = [...others, ...sent].slice(0, MAX_ENDS).map(({ ref, end }) => {
    const placeOrReason = end.end === "sent" ? codeText(end.where) : inlineText(end.reason);
    return { REF: ref, "what came of it": WORDS[end.end], "place, or why not": placeOrReason };
  });
  const notSent = others.length === 0 ? "" : `, ${formatCount(others.length)} not or not for sure`;
  const counts = `${formatCount(sent.length)} of ${formatCount(plan?.send.length ?? 0)} sent${notSent}.`;
  const body = html`<h1>${title}</h1> ${notice(state.tone, html`<strong>${counts}</strong> ${sentence(state.more)}`)}
    ${warnings.slice(0, MAX_LINES).map((text) => notice("wait", sentence(text)))}
    ${table("What came of each dead letter", rows, "None was sent.", ends.length, "cambio-bridge audit --json")}
    <p><a href="/dead-letters">Go back to the dead letters</a> · <a href="/audit">Audit</a></p>`;
  return page(context, { title: "Replay", refreshS: state.refreshS, body });
};

export const beginReplay = async (context: ConsoleContext): Promise<Response> => {
  const { tools, clock } = context.var.site;
  const form = await formOf(context);
  const note = form.get("note") ?? "";
  const actor = actorOfRequest(context, note);
  const scope = { filter: filterOf((name) => form.get(name), clock.now()), ref: form.get("ref") ?? "" };
  const problem = noteProblem(note);
  if (problem !== null) return showPlan(context, scope, note, problem);
  const run: Run = { plan: null, ends: [], warnings: [] };
  const warn = (text: string): void => void run.warnings.push(text);
  const hooks = {
    planned: (plan: Plan) => void (run.plan = plan),
    ended: (ref: string, end: LetterEnd) => void run.ends.push({ ref, end }),
  };
  const shown = (title: string, state: Parameters<typeof runPage>[3]) => (asking: ConsoleContext) =>
    runPage(asking, run, title, state);
  const goesOn = { tone: "wait", more: "It goes on, also when nobody looks.", refreshS: RELOAD_S } as const;
  return begin(context, form, "replay", {
    meanwhile: shown("The replay goes on", goesOn),
    run: async () => {
      const { unsent, reason } = await replay({ ...tools, warn }, actor, toSelection(scope), hooks);
      const isGood = unsent === 0 && run.ends.every(({ end }) => end.end === "sent");
      const more =
        unsent === 0 ? "" : `${count(unsent, "dead letter")} had no turn: ${reason ?? ""}. Plan it again.`;
      return shown("The replay has ended", { tone: isGood ? "good" : "wait", more });
    },
    failed: (why) => shown("The replay has failed", { tone: "bad", more: why }),
  });
};
