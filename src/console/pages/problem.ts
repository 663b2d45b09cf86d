import type { Context } from "hono";
import { messageOf } from "../../runtime/errors.ts";
import { refuse } from "../guard/refuse.ts";
import { page } from "../html/layout.ts";
import { html } from "../html/markup.ts";
import { notice } from "../html/elements.ts";
import { sentence } from "../html/text.ts";
import type { ConsoleEnv } from "../options.ts";
import { Problem } from "../problem.ts";

const TITLES: Readonly<Record<Problem["status"], string>> = {
  400: "That was not understood",
  401: "Sign in",
  403: "Not allowed",
  404: "There is nothing here",
  409: "Nothing was done",
  413: "Too large",
  415: "Not a form",
  422: "Something is missing",
  429: "Wait a moment",
  500: "The console failed",
  503: "No answer",
};

/** Whether the browser, or the network, ended the request before its body was complete. */
const isCutOff = (context: Context<ConsoleEnv>): boolean => {
  // Without node's server there are no bindings.
  const { incoming } = (context.env as Partial<ConsoleEnv["Bindings"]> | undefined) ?? {};
  return incoming !== undefined && incoming.destroyed && !incoming.complete;
};

const asProblem = (context: Context<ConsoleEnv>, error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (isCutOff(context))
    return refuse(
      context,
      400,
      "The form did not arrive completely, so nothing was done.",
      "Load the page and send it again.",
    );
  const { log } = context.var.site;
  log.error({ reason: messageOf(error), method: context.req.method }, "console.page.failed");
  return new Problem(
    500,
    "This page could not be made.",
    "Load it again. When it fails again, the console's log says why (console.page.failed).",
  );
};

/** The error page. Anything but a Problem is logged as console.page.failed. */
export const problemPage = (error: unknown, context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const problem = asProblem(context, error);
  const { status, message, advice, more } = problem;
  for (const [name, value] of Object.entries(more.headers ?? {})) context.header(name, value);
  const link = more.link ?? (status === 401 ? null : "/");
  return page(context, {
    title: TITLES[status],
    status,
    body: html`<h1>${TITLES[status]} <small>${status}</small></h1>
      ${notice(
        "bad",
        html`<p><strong>${sentence(message)}</strong></p>
          <p>${advice}</p>`,
      )}
      ${link === null ? "" : html`<p><a class="button" href="${link}">${link === "/" ? "Overview" : "Current state"}</a></p>`}`,
  });
};

export const noSuchPage = (): never => {
  throw new Problem(404, "The console has no such page.", "Begin at the overview.");
};
