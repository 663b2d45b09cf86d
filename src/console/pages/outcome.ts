import type { Context } from "hono";
import { page } from "../html/layout.ts";
import { html } from "../html/markup.ts";
import { notice } from "../html/elements.ts";
import type { ConsoleEnv } from "../options.ts";
import { Problem } from "../problem.ts";

const REFRESH_S = 2;

/** The outcome of a form, for the person who sent it. */
export const outcomePage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { site, person } = context.var;
  const known = site.outcomes.get(context.req.param("id") ?? "");
  if (known === null || known.by !== person?.name)
    throw new Problem(
      404,
      "Nothing is known of this request.",
      "The console was started again since, or an hour went by. The page Audit says what was done.",
    );
  const { outcome } = known;
  if (outcome === null)
    return page(context, {
      title: "Under way",
      refreshS: REFRESH_S,
      isLive: true,
      body: html`<div id="outcome" data-live data-soon>
        <h1>It is under way</h1>
        ${notice("wait", html`<p>It is written down in the audit topic and being done. This page says what comes of it.</p>`)}
      </div>`,
    });
  if (outcome.kind === "elsewhere") return context.redirect(outcome.location, 303);
  const { title, tone, show } = outcome;
  return page(context, {
    title,
    body: html`<div id="outcome">
      <h1>${title}</h1>
      ${tone === null ? show() : notice(tone === "warn" ? "bad" : tone, show())}
    </div>`,
  });
};
