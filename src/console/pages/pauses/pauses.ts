import type { Context } from "hono";
import { actOnce, wrongInput } from "../../forms/act.ts";
import { canAct, noteField, noteIn, tokenField, whyNoForm } from "../../forms/fields.ts";
import type { Outcome } from "../../forms/outcomes.ts";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { facts } from "../../html/elements.ts";
import { code, shown } from "../../html/text.ts";
import { at } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Acting } from "../../ports.ts";
import { isPausable, isPause, PAUSABLE, type Pausable } from "../../../operator/control-entry.ts";
import { MEANING, wordOf } from "./pause-state.ts";

const LENGTHS = [
  ["900", "15 minutes"],
  ["3600", "an hour"],
  ["14400", "4 hours"],
  ["86400", "a day"],
  ["", "until somebody resumes it"],
] as const;

const WHERE = "/pauses";
const purposeOf = (says: string, flow: string): string => `${says} ${flow}`;

const sayForm = (
  context: Context<ConsoleEnv>,
  flow: Pausable,
  says: "pause" | "resume",
  isPaused: boolean,
): Html => {
  const isPauseForm = says === "pause";
  const label = isPauseForm
    ? isPaused
      ? `Pause ${flow} for longer or shorter`
      : `Pause ${flow}`
    : `Resume ${flow}`;
  return html`<form method="post" action="${WHERE}" class="panel" aria-label="${label}">
    ${tokenField(context, purposeOf(says, flow))}
    <input type="hidden" name="flow" value="${flow}" />
    <input type="hidden" name="says" value="${says}" />
    ${
      isPauseForm
        ? html`<p class="field">
            <label for="for-${flow}">For how long</label>
            <select id="for-${flow}" name="for">
              ${LENGTHS.map(([seconds, words]) => html`<option value="${seconds}">${words}</option>`)}
            </select>
          </p>`
        : ""
    }
    ${noteField(`note-${says}-${flow}`, "Why.")}
    <p><button class="main">${label}</button></p>
  </form>`;
};

const forms = (context: Context<ConsoleEnv>, flow: Pausable, isPaused: boolean): Html =>
  html`${isPaused ? sayForm(context, flow, "resume", isPaused) : ""}
    <details ${isPaused ? "" : "open"} id="pause-${flow}">
      <summary>${isPaused ? "Another end of the pause" : "Pause"}</summary>
      ${sayForm(context, flow, "pause", isPaused)}
    </details>
    ${
      isPaused
        ? ""
        : html`<details id="resume-${flow}">
            <summary>Resume all the same</summary>
            ${sayForm(context, flow, "resume", isPaused)}
          </details>`
    }`;

export const pausesPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { reading, clock } = context.var.site;
  const { pauses } = reading.overview();
  const nowMs = clock.now();
  return page(context, {
    title: "Pauses",
    isLive: true,
    body: html`
      <h1>Pauses</h1>
      <p>
        A paused flow begins nothing new, on all replicas, within seconds; what is under way is finished.
        Webhooks cannot be paused: what the partner sends and nobody takes is lost after five attempts.
      </p>
      ${PAUSABLE.map((flow) => {
        const word = pauses?.[flow];
        return html`<section aria-labelledby="${flow}">
          <h2 id="${flow}">${flow}</h2>
          <div id="word-${flow}" data-live>
            <p>${wordOf(word, nowMs)}</p>
            <p class="dim">While it is paused: ${MEANING[flow]}</p>
          </div>
          <div id="forms-${flow}" data-live>
            ${canAct(context) ? forms(context, flow, isPause(word ?? undefined, nowMs)) : whyNoForm(context)}
          </div>
        </section>`;
      })}
    `,
  });
};

type Say = { says: "pause" | "resume"; flow: Pausable; untilMs: number | null };

const saidOutcome = (
  { says, flow, untilMs }: Say,
  { place, before }: Awaited<ReturnType<Acting["pause"]>>,
): Outcome => ({
  kind: "shown",
  tone: "good",
  title: says === "pause" ? `Paused: ${flow}` : `Resumed: ${flow}`,
  show: () =>
    html`${facts([
        ["Durable at", html`<strong>${code(place)}</strong>`],
        ...(says === "pause"
          ? [["It ends", untilMs === null ? "when somebody resumes it" : at(untilMs)] as const]
          : []),
        [
          "Before",
          before === null
            ? "it was not paused"
            : html`it was paused by ${shown(before.by)} at ${at(before.atMs)}: “${shown(before.note, 1_000)}”`,
        ],
      ])}
      <p>All replicas heed it within seconds. <a href="${WHERE}">Pauses</a> · <a href="/">Overview</a></p>`,
});

const read = (form: URLSearchParams, nowMs: number): { what: Say; note: string } => {
  const [flow, says, length] = ["flow", "says", "for"].map((name) => form.get(name));
  const note = noteIn(form);
  if ("problem" in note) throw wrongInput(note.problem, WHERE);
  if (!isPausable(flow ?? null) || (says !== "pause" && says !== "resume"))
    throw wrongInput("Say which flow, and whether to pause or to resume it.", WHERE);
  if (says === "pause" && !LENGTHS.some(([seconds]) => seconds === length))
    throw wrongInput("Choose for how long.", WHERE);
  const untilMs = says === "resume" || length === "" ? null : nowMs + Number(length) * 1_000;
  return { what: { says, flow: flow as Pausable, untilMs }, note: note.note };
};

export const sayPauseOrResume = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const form = new URLSearchParams(await context.req.text());
  const purpose = purposeOf(form.get("says") ?? "", form.get("flow") ?? "");
  const sent = { purpose, form, where: WHERE, read: () => read(form, context.var.site.clock.now()) };
  return actOnce(context, sent, async (acting, actor, what: Say) => {
    const { says, flow, untilMs } = what;
    const said =
      says === "pause" ? await acting.pause(actor, flow, untilMs) : await acting.resume(actor, flow);
    return saidOutcome(what, said);
  });
};
