import { randomUUID } from "node:crypto";
import { authorize, MAX_TEXT_LENGTH, type Actor } from "../operate/actor.ts";
import { explainOutage } from "../operate/tools.ts";
import { messageOf, OutageError, UsageError } from "../runtime/errors.ts";
import { keepNewest } from "../runtime/keep-newest.ts";
import { hidden } from "./html/elements.ts";
import { html, type Html } from "./html/text.ts";
import { addressOfPerson } from "./sign-in/sign-in.ts";
import { PageProblem, type ConsoleContext, type PageAnswer, type Show, type Task } from "./site.ts";

/** Says who sent this form, and why. Throws Forbidden for a viewer, and a PageProblem where nobody signs in. */
export const actorOfRequest = (context: ConsoleContext, note: string): Actor => {
  const { person, site } = context.var;
  if (person === null)
    throw new PageProblem(403, "The console runs without sign-in: it is read only.", "See CONSOLE_AUTH.");
  const from = { ...site.options.from, address: addressOfPerson(context) };
  const actor = { by: person.name, role: person.role, note, from };
  // The note is checked with the rest of the form, which keeps what was typed.
  authorize({ ...actor, note: "-" });
  return actor;
};

/** Whether forms are shown. What is allowed is decided when one is sent. */
export const canAct = ({ var: { person } }: ConsoleContext): boolean => person?.role === "operator";

export const formOf = async (context: ConsoleContext): Promise<URLSearchParams> =>
  new URLSearchParams(await context.req.text());

/** Marks a form: sent twice, it is still one action. */
export const taskField = (): Html => hidden("task", randomUUID());

export const noteField = (hint: string, text: string): Html =>
  html`<p class="field">
    <label for="note">Note</label>
    <span class="hint" id="note-hint">${hint} Kept in the audit topic, not in the result.</span>
    <textarea id="note" name="note" rows="2" required maxlength="${MAX_TEXT_LENGTH}" aria-describedby="note-hint">
${text}</textarea>
  </p>`;

export const noteProblem = (note: string) =>
  note.trim() === "" ? "Write a note that says how you know." : null;

const failureOf = ({ var: { site, person } }: ConsoleContext, error: unknown): string => {
  const reason = messageOf(error);
  if (error instanceof UsageError && !(error instanceof OutageError)) return reason;
  site.log.error({ by: person?.name ?? null, reason }, "console.action.failed");
  return `The action failed (${reason}). It is not known whether anything was done: see the audit and the story.`;
};

/** `meanwhile` is shown while `run` works, then what `run` resolves to. `failed` is shown if `run` rejects. */
type Action = { meanwhile: Show; run: () => Promise<Show>; failed: (why: string) => Show };

const LOOK_MS = 1_800;
/** The oldest actions beyond this number are forgotten: what they did stands in the audit topic. */
const MAX_KEPT = 200;

/** The action has an address of its own, which can be loaded again. The same form sent twice is one action. */
export const begin = (
  context: ConsoleContext,
  form: URLSearchParams,
  purpose: string,
  { meanwhile, run, failed }: Action,
): PageAnswer => {
  const { site, person } = context.var;
  const { tasks, tools } = site;
  const id = form.get("task") ?? "";
  if (!/^[0-9a-f-]{36}$/.test(id))
    throw new PageProblem(400, "The form is not complete, so nothing was done.", "Load its page again.");
  const by = person?.name ?? "";
  site.log.info({ by, purpose }, "console.acting");
  const submission = `${by} ${form.toString()}`;
  const existing = tasks.get(id);
  if (existing && existing.submission !== submission)
    throw new PageProblem(
      409,
      "This form was sent once already, with other content or by another person: nothing was done now.",
      "Load its page again.",
    );
  if (!existing) {
    const task: Task = { submission, show: meanwhile, done: Promise.resolve() };
    keepNewest(tasks, id, task, MAX_KEPT);
    task.done = explainOutage(tools.config, run(), tools.stopped)
      .catch((error: unknown) => failed(failureOf(context, error)))
      .then((show) => void (task.show = show));
  }
  return context.redirect(`/tasks/${id}`, 303);
};

export const taskPage = async (context: ConsoleContext): Promise<Response> => {
  const { tasks, clock } = context.var.site;
  const task = tasks.get(context.req.param("id") ?? "");
  if (!task) throw new PageProblem(404, "This action is forgotten.", "The audit says what came of it.");
  await clock.within(LOOK_MS, undefined, task.done).catch(() => undefined);
  return task.show(context);
};
