import type { Context } from "hono";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { commandPath, doubtPath, idInUrl } from "../../html/paths.ts";
import { progressNotice } from "../../html/progress.ts";
import { facts, notice, tag, type Tone } from "../../html/elements.ts";
import { block, code, sentence, inlineText } from "../../html/text.ts";
import { when } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Step } from "../../ports.ts";
import { Problem } from "../../problem.ts";
import { placeText } from "../../../runtime/record-position.ts";
import { windowChoice, windowIn } from "./time-window.ts";

const REFRESH_S = 2;

const stepItem = (step: Step, index: number, nowMs: number): Html => {
  const { atMs, place, kind, title, tone, facts: said, payload } = step;
  return html`<li class="step ${tone}">
    <h2>${tag(tone satisfies Tone, kind)} ${inlineText(title, 1_000)}</h2>
    <p class="dim">${when(atMs, nowMs)} · ${code(placeText(place.topic, place))}</p>
    ${said.length === 0 ? "" : facts(said.map(([name, value]) => [name, inlineText(value, 4_000)] as const))}
    ${
      payload === null
        ? ""
        : html`<details id="payload-${index}">
            <summary>Its content</summary>
            ${block(payload, `Content of step ${index + 1}`)}
          </details>`
    }
  </li>`;
};

export const notesOf = (notes: readonly string[]): Html =>
  html`${notes.map((note) => notice("plain", html`<p>${sentence(note)}</p>`))}`;

/** The history of one command, in order of time. */
export const commandPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { queries, clock } = context.var.site;
  const id = idInUrl(context.req.url);
  if (id === null) throw new Problem(400, "The address holds no id.", "Look for the id above.");
  const nowMs = clock.now();
  const window = windowIn(context.req.query("since"), nowMs);
  const { steps, notes, progress } = queries.command(id, window.sinceMs);
  const isOpen = !progress.isComplete && progress.problem === null;
  const isInDoubt = queries.doubt(id).length > 0;
  return page(context, {
    title: "Command",
    ...(isOpen && { refreshS: REFRESH_S }),
    isLive: true,
    body: html`
      <h1>Command ${inlineText(id)}</h1>
      ${windowChoice(commandPath(id), window)}
      <div id="history" data-live ${isOpen ? html`data-soon` : ""}>
        ${isInDoubt ? notice("bad", html`<p><strong>It is in doubt.</strong> <a href="${doubtPath(id)}">What is known and what to do</a></p>`) : ""}
        ${notesOf(notes)} ${progressNotice(progress, "The topics are being read.")}
        ${
          steps.length === 0
            ? html`<p class="none">
                ${isOpen ? "Nothing was found so far." : "Nothing is known of this id in that time. Check its spelling, or look further back."}
              </p>`
            : html`<ol class="history">
                ${steps.map((step, index) => stepItem(step, index, nowMs))}
              </ol>`
        }
      </div>
    `,
  });
};
