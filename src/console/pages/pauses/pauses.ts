import type { Context } from "hono";
import { actOnce, requiredNote, wrongInput } from "../../forms/act.ts";
import { canAct, noteField, tokenField, whyNoForm } from "../../forms/fields.ts";
import type { Outcome } from "../../forms/outcomes.ts";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { facts } from "../../html/elements.ts";
import { code, inlineText } from "../../html/text.ts";
import { at } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Actions } from "../../ports.ts";
import { isPausable, isPause, PAUSABLE, type Pausable } from "../../../operator/control-entry.ts";
import { MEANING, describeControlEntry } from "./pause-state.ts";

const LENGTHS = [
  ["900", "15 minutes"],
  ["3600", "an hour"],
  ["14400", "4 hours"],
  ["86400", "a day"],
  ["", "until somebody resumes it"],
] as const;

const WHERE = "/pauses";
const purposeOf = (says: string, flow: string): string => `${says} ${flow}`;

const pauseForm = (
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
              ${LENGTHS.map(([seconds, text]) => html`<option value="${seconds}">${text}</option>`)}
            </select>
          </p>`
        : ""
    }
    ${noteField(`note-${says}-${flow}`, "Why.")}
    <p><button class="main">${label}</button></p>
  </form>`;
};

const forms = (context: Context<ConsoleEnv>, flow: Pausable, isPaused: boolean): Html =>
  html`${isPaused ? pauseForm(context, flow, "resume", isPaused) : ""}
    <details ${isPaused ? "" : "open"} id="pause-${flow}">
      <summary>${isPaused ? "Another end of the pause" : "Pause"}</summary>
      ${pauseForm(context, flow, "pause", isPaused)}
    </details>
    ${
      isPaused
        ? ""
        : html`<details id="resume-${flow}">
            <summary>Resume anyway</summary>
            ${pauseForm(context, flow, "resume", isPaused)}
          </details>`
    }`;

export const pausesPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { queries, clock } = context.var.site;
  const { pauses } = queries.overview();
  const nowMs = clock.now();
  return page(context, {
    title: "Pauses",
    isLive: true,
    body: html`
      <h1>Pauses</h1>
      <p>
        A paused flow begins nothing new, on all replicas, within seconds; what is under way is finished.
        Webhooks cannot be paused: the partner gives a notification up after five attempts.
      </p>
      ${PAUSABLE.map((flow) => {
        const entry = pauses?.[flow];
        return html`<section aria-labelledby="${flow}">
          <h2 id="${flow}">${flow}</h2>
          <div id="entry-${flow}" data-live>
            <p>${describeControlEntry(entry, nowMs)}</p>
            <p class="dim">While it is paused: ${MEANING[flow]}</p>
          </div>
          <div id="forms-${flow}" data-live>
            ${canAct(context) ? forms(context, flow, isPause(entry ?? undefined, nowMs)) : whyNoForm(context)}
          </div>
        </section>`;
      })}
    `,
  });
};

type PauseForm = { says: "pause" | "resume"; flow: Pausable; untilMs: number | null };

const pauseOutcome = (
  { says, flow, untilMs }: PauseForm,
  { place, before }: Awaited<ReturnType<Actions["pause"]>>,
): Outcome => ({
  kind: "shown",
  tone: "good",
  title: says === "pause" ? `Paused: ${flow}` : `Resumed: ${flow}`,
  show: () =>
    html`${facts([
        ["Durable at", html`<strong>${code(place)}</strong>`],
        ["It ends", says === "resume" ? null : untilMs === null ? "when somebody resumes it" : at(untilMs)],
        [
          "Before",
          before === null
            ? "it was not paused"
            : html`it was paused by ${inlineText(before.by)} at ${at(before.atMs)}:
              “${inlineText(before.note, 1_000)}”`,
        ],
      ])}
      <p>All replicas follow it within seconds. <a href="${WHERE}">Pauses</a> · <a href="/">Overview</a></p>`,
});

const read = (form: URLSearchParams, nowMs: number): { what: PauseForm; note: string } => {
  const [flow, says, length] = ["flow", "says", "for"].map((name) => form.get(name));
  const note = requiredNote(form, WHERE);
  if (!isPausable(flow ?? null) || (says !== "pause" && says !== "resume"))
    throw wrongInput("Say which flow, and whether to pause or to resume it.", WHERE);
  if (says === "pause" && !LENGTHS.some(([seconds]) => seconds === length))
    throw wrongInput("Choose for how long.", WHERE);
  const untilMs = says === "resume" || length === "" ? null : nowMs + Number(length) * 1_000;
  return { what: { says, flow: flow as Pausable, untilMs }, note };
};

export const changePause = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const form = new URLSearchParams(await context.req.text());
  const purpose = purposeOf(form.get("says") ?? "", form.get("flow") ?? "");
  const sent = { purpose, form, where: WHERE, read: () => read(form, context.var.site.clock.now()) };
  return actOnce(context, sent, async (actions, actor, what: PauseForm) => {
    const { says, flow, untilMs } = what;
    const said =
      says === "pause" ? await actions.pause(actor, flow, untilMs) : await actions.resume(actor, flow);
    return pauseOutcome(what, said);
  });
};
