import type { Context } from "hono";
import { decodePercent } from "../../../runtime/percent.ts";
import { actOnce } from "../../forms/act.ts";
import { canAct, whyNoForm } from "../../forms/fields.ts";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { commandPath, doubtPath, idInUrl } from "../../html/paths.ts";
import { progressNotice } from "../../html/progress.ts";
import { notice } from "../../html/elements.ts";
import { code, inlineText } from "../../html/text.ts";
import { ago, at } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Doubt, Progress } from "../../ports.ts";
import { Problem } from "../../problem.ts";
import { doubtFacts, whatToDo } from "./doubt-facts.ts";
import { doubtForm, purposeOf, readDoubtForm } from "./doubt-form.ts";
import { describeOutcome } from "./resolve-outcome.ts";
import { proposalsOf } from "./proposals.ts";

const REFRESH_S = 5;

const readiness = ({ resolvableAtMs }: Doubt, nowMs: number): Html => {
  if (resolvableAtMs === null)
    return html`<p>
      From when on it can be ended is not known: its claim has not been read yet, or the journal does not hold
      it any more, and then it cannot be ended. The older the claim, the less likely is it that the call is
      still under way.
    </p>`;
  return resolvableAtMs <= nowMs
    ? html`<p>It can be ended now: it is very unlikely that the call is still under way.</p>`
    : html`<p>
        It can be ended from ${at(resolvableAtMs)} on,
        <strong data-ready>${ago(resolvableAtMs, nowMs)}</strong>: the older the claim, the less likely is it
        that the call is still under way.
      </p>`;
};

const section = (doubt: Doubt, nowMs: number): Html => html`
  ${doubtFacts(doubt, nowMs)}
  <h3>What to do</h3>
  ${whatToDo(doubt)} ${readiness(doubt, nowMs)}
`;

const notKnown = (progress: Progress, commandId: string): Html =>
  progress.isComplete
    ? notice(
        "plain",
        html`<p>
          <strong>No doubt is known of this command.</strong> It was ended, or never was in doubt.
          <a href="${commandPath(commandId)}">Its history</a> says what became of it.
        </p>`,
      )
    : progressNotice(progress, "No doubt is known of this command so far.");

const show = async (
  context: Context<ConsoleEnv>,
  commandId: string,
  before: { form: URLSearchParams; problems: readonly string[] } | null,
): Promise<Response> => {
  const { queries, clock } = context.var.site;
  const proposals = await proposalsOf(context, commandId);
  const doubts = queries.doubt(commandId);
  const nowMs = clock.now();
  const { progress } = queries.overview().doubts;
  const acts = canAct(context);
  return page(context, {
    title: "Doubt",
    // The answer to a form cannot be loaded again, so it is not live.
    ...(before === null
      ? {
          isLive: true,
          ...(doubts.length === 0 && !progress.isComplete && { refreshS: REFRESH_S }),
        }
      : { status: 422 as const }),
    body: html`
      <p class="crumbs"><a href="/doubts">Doubts</a></p>
      <h1>Command ${inlineText(commandId)} ${doubts.length > 0 ? "is in doubt" : ""}</h1>
      <p><a href="${commandPath(commandId)}">The command's whole history</a></p>
      <div id="doubt" data-live>
        ${doubts.length === 0 ? notKnown(progress, commandId) : ""}
        ${doubts.length > 1 ? notice("wait", html`<p>The commandId was used for ${doubts.length} quotes, each of which is in doubt.</p>`) : ""}
        ${doubts.map(
          (doubt, index) =>
            html`<section aria-labelledby="known-${index}">
              <h2 id="known-${index}">
                What is known${doubts.length > 1 ? html` of quote ${code(doubt.quoteId ?? "(none)")}` : ""}
              </h2>
              ${section(doubt, nowMs)}
            </section>`,
        )}
      </div>
      <div id="said" data-live>${proposals}</div>
      <div id="end-it" data-live>
        ${
          doubts.length === 0
            ? ""
            : html`<section aria-labelledby="end-title">
                <h2 id="end-title">End the doubt</h2>
                ${acts ? doubtForm(context, commandId, doubts, before) : whyNoForm(context)}
              </section>`
        }
      </div>
    `,
  });
};

export const doubtPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const commandId = idInUrl(context.req.url);
  if (commandId === null) throw new Problem(400, "The address holds no id.", "Begin at the page Doubts.");
  return show(context, commandId, null);
};

/** Ends a doubt as the signed-in operator says. */
export const endDoubt = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const form = new URLSearchParams(await context.req.text());
  const commandId = decodePercent(form.get("id") ?? "") ?? "";
  const where = doubtPath(commandId);
  const read = () => {
    const given = readDoubtForm(form, commandId);
    return "problems" in given
      ? { again: show(context, commandId, { form, problems: given.problems }) }
      : { what: given.asked, note: given.note };
  };
  return actOnce(
    context,
    { purpose: purposeOf(commandId), form, where, read },
    async (actions, actor, asked) => describeOutcome(asked, await actions.resolve(actor, asked), where),
  );
};
