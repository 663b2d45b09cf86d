import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { Forbidden } from "../../operate/actor.ts";
import { messageOf, OutageError, UsageError } from "../../runtime/errors.ts";
import { notice, reading } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { html, sentence, type Html } from "../html/text.ts";
import type { Reading } from "../readings.ts";
import { PageProblem, type PageAnswer, type ConsoleContext, type ConsoleEnv } from "../site.ts";

const FOREIGN = "This did not come from a page of the console, so nothing was done.";
const TO_OWN =
  "Open the console and send the form there. Behind a proxy that changes the Host, set CONSOLE_ORIGIN " +
  "to the address that you see.";
const NOBODY = "You are not signed in, or the name or password is wrong.";
const SIGN_IN =
  "Load the page again and give your name and password. CONSOLE_USERS_FILE names who may sign in.";

/** Turns an error into what a page says. An unexpected one is logged, and the page does not quote it. */
const explained = ({ req, var: { site } }: ConsoleContext, error: unknown): PageProblem => {
  if (error instanceof PageProblem) return error;
  const text = messageOf(error);
  if (error instanceof Forbidden) return new PageProblem(403, text);
  if (error instanceof OutageError)
    return new PageProblem(503, text, "Look whether Kafka and the registry run, then load the page again.");
  if (error instanceof UsageError) return new PageProblem(422, text);
  if (error instanceof HTTPException && error.status === 401)
    return new PageProblem(401, NOBODY, SIGN_IN, {
      "www-authenticate": error.res?.headers.get("www-authenticate") ?? "Basic",
    });
  if (error instanceof HTTPException) return new PageProblem(403, FOREIGN, TO_OWN);
  site.log.error({ method: req.method, reason: text }, "console.page.failed");
  return new PageProblem(500, "This page could not be made.", "The log says why. Load it again in a moment.");
};

export const failed = (context: ConsoleContext, error: unknown): Html => {
  const { message, advice } = explained(context, error);
  return notice("bad", html`<strong>${sentence(message)}</strong> ${advice}`);
};

export const RELOAD_S = 2;

type Parts<T> = { title: string; head: Html; what: string; view: (value: T) => Html };

/** A page that shows what was read; while it is being read, how far it is. */
export const readingPage = <T>(
  context: ConsoleContext,
  { value, error, isReading, progress }: Reading<T>,
  { title, head, what, view }: Parts<T>,
): PageAnswer => {
  const refreshS = isReading ? RELOAD_S : undefined;
  const show = (body: Html): PageAnswer => page(context, { title, refreshS, body: html`${head} ${body}` });
  if (error !== null) return show(failed(context, error));
  return show(isReading ? reading(what, progress) : view(value as T));
};

export const problemPage: ErrorHandler<ConsoleEnv> = (error, context) => {
  const { status, message, advice, headers } = explained(context, error);
  const { site, person } = context.var;
  const [from, origin, host] = ["sec-fetch-site", "origin", "host"].map((name) => context.req.header(name));
  if (status === 403 && context.req.method === "POST")
    site.log.warn({ by: person?.name ?? null, message, site: from, origin, host }, "console.refused");
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return page(context, {
    title: "Not done",
    status,
    body: html`<h1>${sentence(message)}</h1> <p>${advice}</p>`,
  });
};

export const noSuchPage = (): never => {
  throw new PageProblem(404, "There is no such page.", "Use the menu above.");
};
