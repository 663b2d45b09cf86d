import { story as readStory, type Ending, type Step, type Story } from "../../operate/story/story.ts";
import { facts, fitting, notice, reading, select, tag } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { block, code, count, inlineText, sentence } from "../html/text.ts";
import { ago, at } from "../html/time.ts";
import type { Answer, ConsoleContext } from "../site.ts";
import { failed } from "./problem.ts";

const DAY_MS = 86_400_000;
const SINCE = [
  { value: "1", label: "one day" },
  { value: "7", label: "seven days" },
  { value: "30", label: "thirty days" },
  { value: "365", label: "a year" },
];
const DEFAULT_SINCE = "7";
const REFRESH_S = 2;
const MAX_PAYLOAD = 3_000;
const MAX_STEPS_BYTES = 26_000;
const MAX_MACHINERY_BYTES = 12_000;

export const searchForm = (id: string, since: string): Html =>
  html`<form class="panel filter" role="search" action="/story" method="get">
    <p class="field wide">
      <label for="id">Find what became of a commandId, quoteId, externalId or transactionId</label>
      <input id="id" name="id" required value="${id}" autocomplete="off" spellcheck="false" />
    </p>
    ${since === "" ? "" : select("since", "Look back", SINCE, since)}
    <p><button>Find</button></p>
  </form>`;

const endingOf = ({ about, id, tone, sentence: text }: Ending): Html =>
  notice(
    tone,
    html`<p><strong>${about === "command" ? "Command" : "Transaction"} ${code(id)}</strong></p>
      <p>${sentence(text)}</p>`,
  );

const stepOf =
  (nowMs: number) =>
  ({ atMs, place, kind, title, tone, facts: rows, payload }: Step): Html =>
    html`<li class="step ${tone}">
      <h3>${tag(tone, kind)} ${inlineText(title)}</h3>
      <p>${at(atMs)}, ${ago(atMs, nowMs)} <span class="dim">${inlineText(place)}</span></p>
      ${rows.length === 0 ? "" : facts(rows.map(([name, value]) => [name, inlineText(value)] as const))}
      ${
        payload === null || payload === ""
          ? ""
          : html`<details>
              <summary>Its value</summary>
              ${block(payload, MAX_PAYLOAD)}
            </details>`
      }
    </li>`;

const stepsOf = (steps: readonly Step[], maxBytes: number, nowMs: number, id: string): Html => {
  const all = steps.map(stepOf(nowMs));
  const shown = fitting(all, maxBytes);
  const left = all.length - shown.length;
  return html`<ol class="steps">
      ${shown}
    </ol>
    ${
      left === 0
        ? ""
        : html`<p class="dim">
            ${count(left, "further step does", "further steps do")} not fit on this page:
            <code>cambio-bridge story</code> ${code(id)} shows all.
          </p>`
    }`;
};

/** What became of it first, then the steps; those of the machinery only for who wants them. */
export const storyView = ({ id, endings, steps, notes }: Story, nowMs: number): Html => {
  const plain = steps.filter(({ isMachinery }) => !isMachinery);
  const machinery = steps.filter(({ isMachinery }) => isMachinery);
  const ends = endings.map(endingOf);
  const shown = fitting(ends, MAX_MACHINERY_BYTES);
  return html` ${shown}
  ${ends.length > shown.length ? html`<p class="dim">And ${ends.length - shown.length} more.</p>` : ""}
  ${notes.map((note) => notice("wait", html`<p>${sentence(note)}</p>`))}
  ${
    steps.length === 0
      ? html`<p class="none">
          The topics hold nothing of it in this time. Upper and lower case count. Look back further, or ask by
          another id.
        </p>`
      : html`<h2>Steps <small>in order of time</small></h2>
          ${stepsOf(plain, MAX_STEPS_BYTES, nowMs, id)}`
  }
  ${
    machinery.length === 0
      ? ""
      : html`<details>
          <summary>
            How the bridge worked on it: ${count(machinery.length, "entry", "entries")} of its journal
          </summary>
          ${stepsOf(machinery, MAX_MACHINERY_BYTES, nowMs, id)}
        </details>`
  }`;
};

export const storyPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const id = (context.req.query("id") ?? "").trim();
  const asked = context.req.query("since") ?? "";
  const since = SINCE.some(({ value }) => value === asked) ? asked : DEFAULT_SINCE;
  const show = (body: Html, refreshS?: number): Answer =>
    page(context, {
      title: id === "" ? "Story" : `Story of ${id.slice(0, 60)}`,
      refreshS,
      body: html`<h1>Story${id === "" ? "" : html` of ${code(id)}`}</h1>
        ${body} ${searchForm(id, since)}`,
    });
  if (id === "")
    return show(
      html`<p>
        What the topics hold of a command, a quote or a transaction: what became of it, and each step.
      </p>`,
    );
  const found = await site.readings.stories.get(JSON.stringify([id, since]), (report, signal) =>
    readStory(site.connections, { id, sinceMs: site.clock.now() - Number(since) * DAY_MS }, report, signal),
  );
  const nowMs = site.clock.now();
  if (found.kind === "failed") return show(failed(context, found.error));
  if (found.kind === "read") return show(storyView(found.value, nowMs));
  return show(
    html`${reading("The topics are still being read, so there may be more", found.progress)}
    ${found.soFar && found.soFar.steps.length > 0 ? storyView(found.soFar, nowMs) : ""}`,
    REFRESH_S,
  );
};
