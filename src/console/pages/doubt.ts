import type { Doubt } from "../../operate/doubts/doubts.ts";
import { doubtFacts } from "../../operate/doubts/facts.ts";
import { notice, reading } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { code, inlineText } from "../html/text.ts";
import type { Answer, ConsoleContext } from "../site.ts";
import { adviceView, aboutView, factsView } from "./doubt-facts.ts";
import { doubtForm, type Before } from "./doubt-form.ts";
import { doubtsTable, journalState, readProposals } from "./doubts.ts";
import { failed } from "./problem.ts";

const REFRESH_S = 2;

type Found = { kind: "doubts"; doubts: readonly Doubt[] } | { kind: "page"; answer: Answer };

const show = (
  context: ConsoleContext,
  title: Html,
  body: Html,
  more: { status?: 200 | 404 | 422; refreshS?: number | undefined } = {},
): Answer =>
  page(context, {
    title: "Doubt",
    body: html`<h1>${title}</h1>
      ${body}`,
    ...more,
  });

/** Why nothing was done, with the note, which the form may not be there to keep. */
const beforeView = (before: Before | null): Html | string =>
  before === null
    ? ""
    : notice(
        "bad",
        html`<p><strong>Not done.</strong> ${before.problem}</p>
          <p>Your note: ${inlineText(before.form.get("note") ?? "", 1_000)}</p>`,
      );

/** The doubts of a command, or a page that says why there are none. */
const find = async (context: ConsoleContext, commandId: string, before: Before | null): Promise<Found> => {
  const { site } = context.var;
  const title = html`Command ${code(commandId)}`;
  const now = await site.doubts.look();
  const other = (body: Html, more = {}): Found => ({
    kind: "page",
    answer: show(context, title, html`${beforeView(before)} ${body}`, more),
  });
  if (now.kind === "failed") return other(failed(context, now.error));
  if (now.kind === "opening")
    return other(reading("The journal is being opened", null), { refreshS: REFRESH_S });
  const doubts = await now.doubts.find(commandId, context.req.raw.signal);
  if (doubts.length > 0) return { kind: "doubts", doubts };
  const state = journalState(now.doubts);
  if (state !== null) return other(state, { refreshS: REFRESH_S });
  return other(
    html`<p><strong>It is not in doubt:</strong> it was ended, or it never was.</p>
      <p><a class="button" href="${pathTo("/story", { id: commandId })}">See what became of it</a></p>`,
    { status: 404 },
  );
};

/** Which of several doubts is meant. */
const choose = (context: ConsoleContext, commandId: string, doubts: readonly Doubt[]): Answer =>
  show(
    context,
    html`Command ${code(commandId)} is in doubt for several quotes`,
    doubtsTable(
      doubts.map((doubt) => doubt),
      context.var.site.clock.now(),
      "",
    ).markup,
  );

/**
 * All that is known of a doubt, and the form to end it. `before`: what was sent before, and why nothing was done.
 */
export const showDoubt = async (
  context: ConsoleContext,
  commandId: string,
  quoteId: string | null,
  before: Before | null = null,
): Promise<Response> => {
  const { site } = context.var;
  const found = await find(context, commandId, before);
  if (found.kind === "page") return found.answer;
  const meant = found.doubts.filter((doubt) => quoteId === null || doubt.quoteId === quoteId);
  const [doubt] = meant;
  if (!doubt || meant.length > 1) return choose(context, commandId, found.doubts);
  const key = JSON.stringify([commandId, doubt.quoteId, doubt.place]);
  const [facts, proposals] = await Promise.all([
    site.readings.facts.get(key, (report, signal) => doubtFacts(site.connections, doubt, report, signal)),
    readProposals(site),
  ]);
  const nowMs = site.clock.now();
  // A page that loads itself again would lose what is being typed.
  const isWaiting = facts.kind === "reading" && before === null && context.req.query("form") === undefined;
  const own = proposals.kind === "read" ? proposals.value : [];
  const about = own.filter(({ asked }) => asked.commandId === commandId && asked.quoteId === doubt.quoteId);
  const ready = facts.kind === "read" ? facts.value : null;
  return show(
    context,
    html`Command ${code(commandId)} is in doubt`,
    html`
      ${beforeView(before)}
      <p>Nobody knows whether the partner executed it. The bridge does not send it again.</p>
      ${aboutView(doubt, ready, nowMs)} ${adviceView(doubt, site.settings)}
      ${
        facts.kind === "reading"
          ? reading(
              "The command, and the transactions that began since, are being looked for",
              facts.progress,
            )
          : facts.kind === "failed"
            ? failed(context, facts.error)
            : factsView(facts.value)
      }
      ${
        isWaiting
          ? html`<p>
              <a href="${pathTo("/doubt", { command: commandId, quote: doubt.quoteId, form: "now" })}"
                >Show the form without waiting for that</a
              >
            </p>`
          : doubtForm(context, doubt, about, before)
      }
      <p><a href="${pathTo("/story", { id: commandId })}">The whole story of this command</a></p>
    `,
    { status: before ? 422 : 200, refreshS: isWaiting ? REFRESH_S : undefined },
  );
};

export const doubtPage = (context: ConsoleContext): Promise<Response> => {
  const quote = context.req.query("quote") ?? "";
  return showDoubt(context, context.req.query("command") ?? "", quote === "" ? null : quote);
};
