import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { Actor } from "../../operator/action.ts";
import { Forbidden } from "../../operator/forbidden.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { html } from "../html/markup.ts";
import { sentence } from "../html/text.ts";
import type { ConsoleEnv } from "../options.ts";
import type { Acting } from "../ports.ts";
import { Problem } from "../problem.ts";
import type { Outcome } from "./outcomes.ts";

/** After it a browser is led to a page that says that the action is under way. */
const WAIT_MS = 15_000;

/** What is wrong with what was given; nothing was done, and the form can be sent again. */
export const wrongInput = (problem: string, link: string): Problem =>
  new Problem(422, problem, "Nothing was done. Go back and mend it.", { link });

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

/** What came of an action that threw. A sentence for people says itself whether something was done. */
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

/** `again`: the form once more, with what is wrong with it. */
type Read<T> = { what: T; note: string } | { again: Response | Promise<Response> };

type Sent<T> = {
  form: URLSearchParams;
  /** What the form's token must have been issued for. */
  purpose: string;
  read: () => Read<T>;
  /** Where the current state is shown. */
  where: string;
};

/**
 * Acts once for each form that was shown, however often it is sent; leads to the page that says what came of it. `by` is whoever has signed in.
 * `guardPosts` has let it through: it is an operator, and there is something to act with.
 */
export const actOnce = async <T>(
  context: Context<ConsoleEnv>,
  { form, purpose, read, where }: Sent<T>,
  act: (acting: Acting, actor: Actor, what: T) => Promise<Outcome>,
): Promise<Response> => {
  const { site, person } = context.var;
  const { acting, clock, log, options, outcomes, tokens } = site;
  if (person === null || acting === null) throw new Problem(403, "Nothing can be done here.", "Sign in.");
  const by = person.name;
  const request = tokens.read(form.get("token") ?? "", by, purpose);
  if (request === null) throw stale(where);
  const digest = createHash("sha256").update(form.toString()).digest("base64");
  let known = outcomes.get(request.id);
  if (known === null) {
    const given = read();
    if ("again" in given) return given.again;
    const actor: Actor = { by, role: person.role, note: given.note, from: options.from };
    known = outcomes.once(request, { by, digest }, async () => {
      log.info({ by, purpose }, "console.acting");
      try {
        return await act(acting, actor, given.what);
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
