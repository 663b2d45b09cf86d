import type { Context } from "hono";
import { actOnce, requiredNote, wrongInput } from "../../forms/act.ts";
import { noteField, tokenField } from "../../forms/fields.ts";
import type { Outcome } from "../../forms/outcomes.ts";
import { html, type Html } from "../../html/markup.ts";
import { letterPath } from "../../html/paths.ts";
import { notice, table } from "../../html/elements.ts";
import { code, count, formatCount, sentence, inlineText } from "../../html/text.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { ReplayPlan, Selection } from "../../ports.ts";
import { readRef } from "../../../operator/replay/dead-letter.ts";
import { filterIn } from "./filter.ts";
import { PLAN_PURPOSE } from "./plan-form.ts";

const WHERE = "/dead-letters";
/** Of each of the two tables. */
const MAX_ROWS = 200;

type Wanted = { selection: Selection; again: boolean };

const more = (all: number, listed: number): Html =>
  all > listed ? html`<p class="dim">And ${formatCount(all - listed)} more.</p>` : html``;

const refLink = (ref: string): Html => html`<th scope="row"><a href="${letterPath(ref)}">${ref}</a></th>`;

const sendTable = ({ send, sendCount }: ReplayPlan): Html => {
  const rows = send.slice(0, MAX_ROWS).map(
    ({ ref, topic, preview }) =>
      html`<tr>
        ${refLink(ref)}
        <td>${code(topic)}</td>
        <td>${inlineText(preview, 120)}</td>
      </tr>`,
  );
  return html`<h2>Would be sent: ${formatCount(sendCount)}</h2>
    ${table({ label: "What would be sent", columns: ["letter", "to", "what it says"], rows, empty: "Nothing." })}
    ${more(sendCount, rows.length)}`;
};

const skippedTable = ({ skipped, skippedCount }: ReplayPlan): Html => {
  const rows = skipped.slice(0, MAX_ROWS).map(
    ({ ref, why, detail }) =>
      html`<tr>
        ${refLink(ref)}
        <td>${inlineText(why)}</td>
        <td>${inlineText(detail, 1_000)}</td>
      </tr>`,
  );
  return html`<h2>Would not be sent: ${formatCount(skippedCount)}</h2>
    ${table({ label: "What would not be sent", columns: ["letter", "why", "detail"], rows, empty: "Everything would be sent." })}
    ${more(skippedCount, rows.length)}`;
};

const purposeOf = (planId: string): string => `replay ${planId}`;

const replayForm = (context: Context<ConsoleEnv>, { planId, sendCount }: ReplayPlan, note: string): Html =>
  html`<form method="post" action="/dead-letters/runs" class="panel" aria-label="Send">
    ${tokenField(context, purposeOf(planId))}
    <input type="hidden" name="planId" value="${planId}" />
    ${noteField("note", "Why they are sent again.", note)}
    <p><button class="main">Send ${count(sendCount, "letter")}</button> <a href="${WHERE}">Do not</a></p>
  </form>`;

const planned = (context: Context<ConsoleEnv>, plan: ReplayPlan, note: string): Outcome => ({
  kind: "shown",
  tone: null,
  title: "Plan of a replay",
  show: () => html`
    ${notice(
      "wait",
      html`<p>
          <strong>Nothing was sent yet.</strong> Original bytes and headers go to where they came from; a
          notification through the webhook flow. Each letter is sent once.
        </p>
        ${plan.warnings.map((warning) => html`<p><strong>Warning:</strong> ${sentence(warning)}</p>`)}`,
    )}
    ${sendTable(plan)} ${skippedTable(plan)}
    ${
      plan.sendCount > 0
        ? replayForm(context, plan, note)
        : html`<p>There is nothing to send. <a href="${WHERE}">Dead letters</a></p>`
    }
  `,
});

const selectionIn = (form: URLSearchParams): Selection => {
  if (form.get("which") === "filter") {
    const { filter, problems } = filterIn(form);
    if (problems[0] !== undefined) throw wrongInput(problems[0], WHERE);
    return filter;
  }
  const refs = form.getAll("ref");
  if (refs.length === 0) throw wrongInput("Choose at least one dead letter.", WHERE);
  if (refs.some((ref) => readRef(ref) === null)) throw wrongInput("That names no dead letter.", WHERE);
  return { refs };
};

/** Plans a replay, and shows the plan. */
export const planReplay = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const form = new URLSearchParams(await context.req.text());
  const read = (): { what: Wanted; note: string } => ({
    what: { selection: selectionIn(form), again: form.get("again") === "yes" },
    note: requiredNote(form, WHERE),
  });
  return actOnce(
    context,
    { purpose: PLAN_PURPOSE, form, where: WHERE, read },
    async (actions, actor, wanted) =>
      planned(context, await actions.plan(actor, wanted.selection, wanted.again), actor.note),
  );
};

/** Begins a planned replay, and leads to its page. */
export const beginReplay = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const form = new URLSearchParams(await context.req.text());
  const planId = form.get("planId") ?? "";
  const read = () => ({ what: planId, note: requiredNote(form, WHERE) });
  return actOnce(
    context,
    { purpose: purposeOf(planId), form, where: WHERE, read },
    async (actions, actor, id) => ({
      kind: "elsewhere",
      location: `/dead-letters/runs/${encodeURIComponent((await actions.replay(actor, id)).runId)}`,
    }),
  );
};
