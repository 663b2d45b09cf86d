import { refusalOf, type ResolveOutcome, type ResolveRequest } from "../../operate/resolve/outcome.ts";
import { confirm, resolve } from "../../operate/resolve/resolve.ts";
import { actorOf, begin, failureOf, formOf } from "../act.ts";
import { facts, notice, reading } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { code, sentence } from "../html/text.ts";
import { at } from "../html/time.ts";
import type { Answer, ConsoleContext } from "../site.ts";
import type { Show } from "../tasks.ts";
import { showDoubt } from "./doubt.ts";
import { readDoubtForm } from "./doubt-form.ts";
import { doubtPath } from "./doubts.ts";

const REFRESH_S = 2;

type Ended = { asked: ResolveRequest; ended: ResolveOutcome };

const endedView =
  ({ commandId }: ResolveRequest, title: Html | string, body: Html): Show<ConsoleContext> =>
  (context) =>
    page(context, {
      title: "Doubt",
      body: html`<h1>${title}</h1>
        ${body}
        <p>
          <a href="${pathTo("/story", { id: commandId })}">See the whole story</a> ·
          <a href="/doubts">Go to the other doubts</a>
        </p>`,
    });

/** What came of it, with the places where it stands. */
const outcomeView = ({ asked, ended }: Ended): Show<ConsoleContext> | null => {
  const { commandId } = asked;
  if (ended.kind === "resolved") {
    const { result, place, published } = ended;
    return endedView(
      asked,
      "The doubt is ended",
      html`${notice("good", html`<p>The final result of command ${code(commandId)} is <strong>${result.outcome}</strong>.</p>`)}
      ${facts([
        ["Its final result", html`<strong>${code(published)}</strong>`],
        ["The decision in the journal", code(place)],
        ["quoteId", result.quoteId === null ? null : code(result.quoteId)],
        ["resultId", code(result.resultId)],
      ])}`,
    );
  }
  if (ended.kind === "proposed")
    return endedView(
      asked,
      "It is proposed, and not ended yet",
      html`${notice(
        "wait",
        html`<p>
          Another person must confirm it within 24 hours, on
          <a href="${doubtPath({ commandId, quoteId: ended.quoteId })}">the doubt's page</a> or with
          <code>cambio-bridge resolve --confirm ${ended.ref} --by NAME</code>.
        </p>`,
      )}
      ${facts([
        ["REF", html`<strong>${code(ended.ref)}</strong>`],
        ["The proposal", code(ended.place)],
        ["To be ended not before", at(ended.resolvableAtMs)],
      ])}`,
    );
  if (ended.kind === "decided")
    return endedView(
      asked,
      "It was ended before",
      notice("wait", html`<p>${sentence(refusalOf(asked, ended) ?? "")} Nothing more was done.</p>`),
    );
  return null;
};

/** The doubt's page again, with the form as it was sent, and why nothing was done. */
const refused =
  (form: URLSearchParams, problem: Html, endableAtMs?: number): Show<ConsoleContext> =>
  (context) =>
    showDoubt(context, form.get("command") ?? "", form.get("quote") || null, {
      form,
      problem,
      ...(endableAtMs !== undefined && { endableAtMs }),
    });

const act = (
  context: ConsoleContext,
  form: URLSearchParams,
  purpose: string,
  work: (stopped: AbortSignal) => Promise<Ended>,
): Answer => {
  const { clock } = context.var.site;
  return begin(context, form, purpose, {
    meanwhile: (asking) =>
      page(asking, {
        title: "Doubt",
        refreshS: REFRESH_S,
        body: html`<h1>The decision is being written</h1>
          ${reading("The journal is read first, which may take a moment", null)}`,
      }),
    run: async (stopped) => {
      try {
        const done = await work(stopped);
        const shown = outcomeView(done);
        if (shown) return shown;
        const { asked, ended } = done;
        if (ended.kind === "tooYoung")
          return refused(
            form,
            html`By Kafka's clock it is too early.`,
            clock.now() + ended.neededMs - ended.ageMs,
          );
        return refused(form, sentence(refusalOf(asked, ended) ?? ended.kind));
      } catch (error) {
        return refused(form, sentence(failureOf(context, error)));
      }
    },
  });
};

const hooksOf = ({ var: { site } }: ConsoleContext) => ({
  warn: (text: string) => site.log.warn({ sentence: text }, "console.warning"),
});

export const endDoubt = async (context: ConsoleContext): Promise<Response> => {
  const form = await formOf(context);
  const actor = actorOf(context, form.get("note") ?? "");
  const given = readDoubtForm(form);
  if ("problem" in given) return refused(form, html`${given.problem}`)(context);
  const { asked } = given;
  const { connections } = context.var.site;
  return act(context, form, `resolve ${asked.commandId}`, async (stopped) => ({
    asked,
    ended: await resolve(connections, actor, asked, hooksOf(context), stopped),
  }));
};

export const confirmProposal = async (context: ConsoleContext): Promise<Response> => {
  const form = await formOf(context);
  const actor = actorOf(context, "confirmed");
  const ref = form.get("ref") ?? "";
  return act(context, form, `confirm ${ref}`, (stopped) =>
    confirm(context.var.site.connections, actor, ref, hooksOf(context), stopped),
  );
};
