import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { Actor } from "../../operator/action.ts";
import { Forbidden } from "../../operator/forbidden.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { html } from "../html/markup.ts";
import { sentence } from "../html/text.ts";
import type { ConsoleEnv } from "../options.ts";
import type { Actions } from "../ports.ts";
import { Problem } from "../problem.ts";
import { addressOf } from "../sign-in/sign-in.ts";
import { noteIn } from "./fields.ts";
import type { Outcome } from "./outcomes.ts";

/** A slower action is answered with a page that says that it is under way. */
const WAIT_MS = 15_000;

/** A form with a mistake in it: nothing was done, and it can be sent again. */
export const wrongInput = (problem: string, link: string): Problem =>
  new Problem(422, problem, "Nothing was done. Go back and correct it.", { link });

/** The note of a form that is answered with a Problem when it has none. */
export const requiredNote = (form: URLSearchParams, link: string): string => {
  const note = noteIn(form);
  if ("problem" in note) throw wrongInput(note.problem, link);
  return note.note;
};

const stale = (where: string): Problem =>
  new Problem(
    409,
    "That page was too old to act on, so nothing was done.",
    "The console was started again since, or more than an hour went by. Look at the current state, then decide anew.",
    { link: where },
  );

const shownError = (title: string, error: unknown): Outcome => ({
  kind: "shown",
  tone: "warn",
  title,
  show: () => html`<p>${sentence(messageOf(error))}</p>`,
});

/** The outcome of an action that threw. The message of a UsageError says whether something was done. */
const failed = (context: Context<ConsoleEnv>, error: unknown): Outcome => {
  const { log } = context.var.site;
  if (error instanceof Forbidden) return shownError("Refused: nothing was done", error);
  if (error instanceof UsageError) return shownError("It did not go as asked", error);
  log.error({ by: context.var.person?.name ?? null, reason: messageOf(error) }, "console.action.failed");
  return {
    kind: "shown",
    tone: "warn",
    title: "Nobody knows whether it was done",
    show: () =>
      html`<p>The action broke off: ${sentence(messageOf(error))}</p>
        <p>Look into the <a href="/audit">audit</a> and at the current state before you do it again.</p>`,
  };
};

/** What a form asks for; `again`: the form shown again, with its mistakes. */
type FormInput<T> = { what: T; note: string } | { again: Response | Promise<Response> };

type FormPost<T> = {
  form: URLSearchParams;
  /** The purpose that the form's token was issued for. */
  purpose: string;
  read: () => FormInput<T>;
  /** The page that shows the current state. */
  where: string;
};

/**
 * Acts once for each form that was shown, however often it is sent, and redirects to the page with the outcome.
 * `guardPosts` has made sure that the user is an operator and that `actions` is there.
 */
export const actOnce = async <T>(
  context: Context<ConsoleEnv>,
  { form, purpose, read, where }: FormPost<T>,
  act: (actions: Actions, actor: Actor, what: T) => Promise<Outcome>,
): Promise<Response> => {
  const { site, person } = context.var;
  const { actions, clock, log, options, outcomes, tokens } = site;
  if (person === null || actions === null) throw new Problem(403, "Nothing can be done here.", "Sign in.");
  const by = person.name;
  const request = tokens.read(form.get("token") ?? "", by, purpose);
  if (request === null) throw stale(where);
  const digest = createHash("sha256").update(form.toString()).digest("base64");
  let known = outcomes.get(request.id);
  if (known === null) {
    const given = read();
    if ("again" in given) return given.again;
    const actor: Actor = {
      by,
      role: person.role,
      note: given.note,
      from: { ...options.from, address: addressOf(context) },
    };
    known = outcomes.once(request, { by, digest }, async () => {
      log.info({ by, purpose }, "console.acting");
      try {
        return await act(actions, actor, given.what);
      } catch (error) {
        return failed(context, error);
      }
    });
  }
  if (known === null) throw stale(where);
  if (known.digest !== digest)
    throw new Problem(
      409,
      "This form was sent before with something else in it, so nothing was done now.",
      "Look at the current state, then decide anew.",
      { link: where },
    );
  const outcome = await clock.within(WAIT_MS, undefined, known.done).catch(() => null);
  const location = outcome?.kind === "elsewhere" ? outcome.location : `/outcomes/${request.id}`;
  return context.redirect(location, 303);
};
