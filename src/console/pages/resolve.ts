import { refusalText, type ResolveOutcome, type ResolveRequest } from "../../operate/resolve/outcome.ts";
import { confirm, resolve } from "../../operate/resolve/resolve.ts";
import { actorOfRequest, begin, formOf, noteProblem } from "../act.ts";
import { facts, link, notice, pathTo, reading } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { at, code, html, sentence, type Html } from "../html/text.ts";
import type { PageAnswer, ConsoleContext } from "../site.ts";
import type { Show } from "../tasks.ts";
import { showDoubt } from "./doubt.ts";
import { doubtPath } from "./doubts.ts";
import { RELOAD_S } from "./problem.ts";

type Ended = { asked: ResolveRequest; ended: ResolveOutcome };

/** What came of it, with the places where it stands; null where nothing was done. */
const outcomeOf = ({ asked, ended }: Ended): { title: string; body: Html } | null => {
  const { commandId } = asked;
  if (ended.kind === "resolved") {
    const { result, place, published } = ended;
    const is = html`The final result of command ${code(commandId)} is <strong>${result.outcome}</strong>.`;
    const rows = facts([
      ["Its final result", html`<strong>${code(published)}</strong>`],
      ["The decision in the journal", code(place)],
      ["quoteId", result.quoteId === null ? null : code(result.quoteId)],
      ["transactionId", result.transactionId === null ? null : code(result.transactionId)],
      ["resultId", code(result.resultId)],
    ]);
    return { title: "The doubt is resolved", body: html`${notice("good", is)} ${rows}` };
  }
  if (ended.kind === "proposed") {
    const { ref, place, quoteId, resolvableAtMs } = ended;
    const how = html`Another person must confirm it within 24 hours, on
      ${link(doubtPath({ commandId, quoteId }), "the doubt's page")} or with
      <code>cambio-bridge resolve --confirm ${ref} --as ${asked.as} --by NAME</code>.`;
    const rows = facts([
      ["REF", html`<strong>${code(ref)}</strong>`],
      ["The proposal", code(place)],
      ["Can be resolved from", at(resolvableAtMs)],
    ]);
    return { title: "It is proposed, and not resolved yet", body: html`${notice("wait", how)} ${rows}` };
  }
  return null;
};

/** The doubt's page again, with the form as it was sent, and why nothing was done. */
const refused =
  (form: URLSearchParams, problem: Html, endableAtMs?: number): Show<ConsoleContext> =>
  (context) => {
    const before = { form, problem, ...(endableAtMs !== undefined && { endableAtMs }) };
    return showDoubt(context, form.get("command") ?? "", form.get("quote") || null, before);
  };

const act = (
  context: ConsoleContext,
  form: URLSearchParams,
  purpose: string,
  work: (stopped: AbortSignal) => Promise<Ended>,
): PageAnswer => {
  const meanwhile: Show<ConsoleContext> = (asking) => {
    const body = html`<h1>The decision is being written</h1> ${reading("The journal is read first", null)}`;
    return page(asking, { title: "Doubt", refreshS: RELOAD_S, body });
  };
  const run = async (stopped: AbortSignal): Promise<Show<ConsoleContext>> => {
    const { asked, ended } = await work(stopped);
    if (ended.kind === "tooYoung")
      return refused(form, html`By Kafka's clock it is too early.`, ended.resolvableAtMs);
    const outcome = outcomeOf({ asked, ended });
    if (outcome === null) return refused(form, sentence(refusalText(asked, ended) ?? ended.kind));
    const story = link(pathTo("/story", { id: asked.commandId }), "See the whole story");
    const body = html`<h1>${outcome.title}</h1> ${outcome.body}
      <p>${story} · ${link("/doubts", "Go to the other doubts")}</p>`;
    return (asking) => page(asking, { title: "Doubt", body });
  };
  return begin(context, form, purpose, { meanwhile, run, failed: (why) => refused(form, sentence(why)) });
};

/** Whether the doubt is still open is decided later, by the journal. */
export const endDoubt = async (context: ConsoleContext): Promise<Response> => {
  const { services } = context.var.site;
  const form = await formOf(context);
  const [note, as] = [form.get("note") ?? "", form.get("as")];
  const actor = actorOfRequest(context, note);
  if (as !== "succeeded" && as !== "not-executed")
    return refused(form, html`Choose what the partner says: it was executed, or it was not.`)(context);
  const problem = noteProblem(note);
  if (problem !== null) return refused(form, html`${problem}`)(context);
  const [commandId, quoteId] = [form.get("command") ?? "", form.get("quote") || null];
  // The field is for a doubt that was executed, and may be filled in beforehand.
  const transactionId = as === "succeeded" ? form.get("transaction")?.trim() || null : null;
  const force = form.get("force") === "yes";
  const asked: ResolveRequest = { commandId, quoteId, as, force, transactionId };
  return act(context, form, `resolve ${commandId}`, async (stopped) => ({
    asked,
    ended: await resolve(services, actor, asked, stopped),
  }));
};

export const confirmProposal = async (context: ConsoleContext): Promise<Response> => {
  const { services } = context.var.site;
  const form = await formOf(context);
  const actor = actorOfRequest(context, "confirmed");
  const [ref, as] = [form.get("ref") ?? "", form.get("as")];
  if (as !== "succeeded" && as !== "not-executed")
    return refused(form, html`The form does not say what is confirmed.`)(context);
  return act(context, form, `confirm ${ref}`, (stopped) => confirm(services, actor, { ref, as }, stopped));
};
