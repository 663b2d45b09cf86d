import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { Forbidden } from "../../operate/actor.ts";
import { messageOf, OutageError, UsageError } from "../../runtime/errors.ts";
import { notice } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { sentence } from "../html/text.ts";
import { Problem } from "../problem.ts";
import type { Answer, ConsoleContext, ConsoleEnv } from "../site.ts";

const OF_KAFKA = "Look whether Kafka and the registry run, then load the page again.";

/** The error as a page says it. What nobody expected is in the log. */
const explained = ({ req, var: { site } }: ConsoleContext, error: unknown): Problem => {
  if (error instanceof Problem) return error;
  const text = messageOf(error);
  if (error instanceof Forbidden) return new Problem(403, text, "");
  if (error instanceof OutageError) return new Problem(503, text, OF_KAFKA);
  if (error instanceof UsageError) return new Problem(422, text, "");
  if (error instanceof HTTPException && error.status === 401)
    return new Problem(
      401,
      "You are not signed in, or the name or password is wrong.",
      "Load the page again and give your name and password. They stand in the file of CONSOLE_USERS_FILE.",
      { "www-authenticate": error.res?.headers.get("www-authenticate") ?? "Basic" },
    );
  if (error instanceof HTTPException)
    return new Problem(
      403,
      "This did not come from a page of the console, so nothing was done.",
      "Open the console and send the form there. Behind a proxy that changes the Host, set CONSOLE_ORIGIN to the address that you see.",
    );
  site.log.error({ method: req.method, reason: text }, "console.page.failed");
  return new Problem(500, "This page could not be made.", "The log says why. Load it again in a moment.");
};

/** A part of a page that could not be read. */
export const failed = (context: ConsoleContext, error: unknown): Html => {
  const { message, advice } = explained(context, error);
  return notice("bad", html`<p><strong>${sentence(message)}</strong> ${advice}</p>`);
};

export const problemPage: ErrorHandler<ConsoleEnv> = (error, context) => {
  const { status, message, advice, headers } = explained(context, error);
  const { site, person } = context.var;
  if (status === 403 && context.req.method === "POST")
    site.log.warn(
      {
        by: person?.name ?? null,
        message,
        site: context.req.header("sec-fetch-site"),
        origin: context.req.header("origin"),
        host: context.req.header("host"),
      },
      "console.refused",
    );
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return page(context, {
    title: "Not done",
    status,
    body: html`<h1>${sentence(message)}</h1>
      <p>${advice}</p>`,
  });
};

export const noSuchPage = (context: ConsoleContext): Answer =>
  page(context, {
    title: "No such page",
    status: 404,
    body: html`<h1>There is no such page.</h1>
      <p><a href="/">Go to the overview</a></p>`,
  });
