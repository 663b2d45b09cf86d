import { readStory, type Ending, type StoryStep, type Story } from "../../operate/story/story.ts";
import { facts, fitting, link, notice, pathTo, select, tag } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { block, codeText, count, html, inlineText, sentence, timeAndAge, type Html } from "../html/text.ts";
import type { ConsoleContext } from "../site.ts";
import { readingPage } from "./problem.ts";

const DAY_MS = 86_400_000;
const SINCE = [
  ["1", "one day"],
  ["7", "seven days"],
  ["30", "thirty days"],
  ["365", "a year"],
] as const;
const MAX_PAYLOAD = 3_000;
const MAX_STEPS_BYTES = 26_000;
const MAX_OTHERS_BYTES = 10_000;

const searchForm = (id: string, since: string): Html =>
  html`<form class="panel filter" role="search" action="/story" method="get">
    <p class="field wide">
      <label for="id">Find what became of a commandId, quoteId, externalId or transactionId</label>
      <input id="id" name="id" value="${id}" autocomplete="off" spellcheck="false" />
    </p>
    ${select("since", "Look back", SINCE, since)}
    <p><button>Find</button></p>
  </form>`;

const endingOf = ({ about, id, tone, sentence: text, isDoubt }: Ending): Html => {
  const doubt = link(pathTo("/doubt", { command: id }), "See what is known and what to do");
  return notice(
    tone,
    html`<strong>${about === "command" ? "Command" : "Transaction"} ${codeText(id)}</strong><br />${sentence(text)}
      ${isDoubt && doubt}`,
  );
};

const stepOf = ({ atMs, place, kind, title, tone, facts: rows, payload }: StoryStep, nowMs: number): Html =>
  html`<li class="step ${tone}">
    <h3>${tag(tone, kind)} ${inlineText(title)}</h3>
    <p>${timeAndAge(atMs, nowMs)} <span class="dim">${inlineText(place)}</span></p>
    ${rows.length > 0 && facts(rows.map(([name, value]) => [name, inlineText(value)] as const))}
    ${payload && html`<details><summary>Its value</summary>${block(payload, MAX_PAYLOAD)}</details>`}
  </li>`;

const stepsOf = (steps: readonly StoryStep[], maxBytes: number, nowMs: number, id: string): Html => {
  const items = steps.map((step) => stepOf(step, nowMs));
  const shown = fitting(items, maxBytes);
  const left = steps.length - shown.length;
  const more = html`<p class="dim">${count(left, "further step does", "further steps do")} not fit on this page:
    <code>cambio-bridge story</code> ${codeText(id)} shows all.</p>`;
  return html`<ol class="steps">${shown}</ol> ${left > 0 && more}`;
};

const NOTHING =
  "The topics hold nothing of it in this time. Upper and lower case count. Look back further, or ask by another id.";

/** What became of it first, then the steps; those of the machinery only for who wants them. */
const storyView = ({ id, endings, steps, notes }: Story, nowMs: number): Html => {
  const { machinery = [], plain = [] } = Object.groupBy(steps, (step) =>
    step.kind === "journal" ? "machinery" : "plain",
  );
  const behind = html`<details><summary>How the bridge worked on it: ${count(machinery.length, "entry", "entries")}
    of its journal</summary> ${stepsOf(machinery, MAX_OTHERS_BYTES, nowMs, id)}</details>`;
  return html`${fitting(endings.map(endingOf), MAX_OTHERS_BYTES)}
    ${notes.map((note) => notice("wait", sentence(note)))}
    ${steps.length === 0 ? html`<p class="none">${NOTHING}</p>` : html`<h2>Steps <small>in order of time</small></h2>`}
    ${stepsOf(plain, MAX_STEPS_BYTES, nowMs, id)} ${machinery.length > 0 && behind}`;
};

export const storyPage = async (context: ConsoleContext): Promise<Response> => {
  const { read, clock } = context.var.site;
  const id = (context.req.query("id") ?? "").trim();
  const period = context.req.query("since") ?? "";
  const since = SINCE.some(([value]) => value === period) ? period : "7";
  const search = searchForm(id, since);
  if (id === "") return page(context, { title: "Story", body: html`<h1>Story</h1> ${search}` });
  const reading = await read(`story ${since} ${id}`, (tools) =>
    readStory(tools, { id, sinceMs: clock.now() - Number(since) * DAY_MS }),
  );
  return readingPage(context, reading, {
    title: `Story of ${id.slice(0, 60)}`,
    head: html`<h1>Story of ${codeText(id)}</h1> ${search}`,
    what: "The topics are being read",
    view: (story) => storyView(story, clock.now()),
  });
};
