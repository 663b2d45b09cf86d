import { refusalText, type ResolveRequest } from "../../operate/resolve/outcome.ts";
import { confirm, resolve, type Confirmed } from "../../operate/resolve/resolve.ts";
import { actorOfRequest, begin, formOf, noteProblem } from "../act.ts";
import { facts, link, notice, pathTo, reading } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { timeText, codeText, html, type Html } from "../html/text.ts";
import type { ConsoleContext, PageAnswer, Show } from "../site.ts";
import { showDoubt } from "./doubt.ts";
import { doubtPath } from "./doubts.ts";
import { RELOAD_S } from "./problem.ts";

/** What came of it, with the places where it stands; null where nothing was done. */
const answerTo = ({ request, outcome }: Confirmed): { title: string; body: Html } | null => {
  const { commandId } = request;
  if (outcome.kind === "resolved") {
    const { result, place, published } = outcome;
    const is = html`The final result of command ${codeText(commandId)} is <strong>${result.outcome}</strong>.`;
    const rows = facts([
      ["Its final result", html`<strong>${codeText(published)}</strong>`],
      ["The decision in the journal", codeText(place)],
      ["quoteId", result.quoteId && codeText(result.quoteId)],
      ["transactionId", result.transactionId && codeText(result.transactionId)],
      ["resultId", codeText(result.resultId)],
    ]);
    return { title: "The doubt is resolved", body: html`${notice("good", is)} ${rows}` };
  }
  if (outcome.kind === "proposed") {
    const { ref, place, quoteId, resolvableAtMs } = outcome;
    const how = html`Another person must confirm it within 24 hours, on
      ${link(doubtPath({ commandId, quoteId }), "the doubt's page")} or with
      <code>cambio-bridge resolve --confirm ${ref} --as ${request.as} --by NAME</code>.`;
    const rows = facts([
      ["REF", html`<strong>${codeText(ref)}</strong>`],
      ["The proposal", codeText(place)],
      ["Can be resolved from", timeText(resolvableAtMs)],
    ]);
    return { title: "It is proposed, and not resolved yet", body: html`${notice("wait", how)} ${rows}` };
  }
  return null;
};

const refused =
  (form: URLSearchParams, problem: string): Show =>
  (context) =>
    showDoubt(context, form.get("command") ?? "", form.get("quote") || null, { form, problem });

const act = (
  context: ConsoleContext,
  form: URLSearchParams,
  purpose: string,
  work: () => Promise<Confirmed>,
): PageAnswer => {
  const meanwhile: Show = (asker) => {
    const body = html`<h1>The decision is being written</h1> ${reading("The journal is read first", null)}`;
    return page(asker, { title: "Doubt", refreshS: RELOAD_S, body });
  };
  const run = async (): Promise<Show> => {
    const { request, outcome } = await work();
    const answer = answerTo({ request, outcome });
    if (answer === null) return refused(form, refusalText(request, outcome) ?? outcome.kind);
    const story = link(pathTo("/story", { id: request.commandId }), "See the whole story");
    const body = html`<h1>${answer.title}</h1> ${answer.body}
      <p>${story} · ${link("/doubts", "Go to the other doubts")}</p>`;
    return (asker) => page(asker, { title: "Doubt", body });
  };
  return begin(context, form, purpose, { meanwhile, run, failed: (why) => refused(form, why) });
};

/** Whether the doubt is still open is decided later, by the journal. */
export const endDoubt = async (context: ConsoleContext): Promise<Response> => {
  const { tools } = context.var.site;
  const form = await formOf(context);
  const [note, as] = [form.get("note") ?? "", form.get("as")];
  const actor = actorOfRequest(context, note);
  if (as !== "succeeded" && as !== "not-executed")
    return refused(form, "Choose what the partner says: it was executed, or it was not.")(context);
  const problem = noteProblem(note);
  if (problem !== null) return refused(form, problem)(context);
  const [commandId, quoteId] = [form.get("command") ?? "", form.get("quote") || null];
  // The field may be filled in beforehand. It counts only if the doubt was executed.
  const transactionId = as === "succeeded" ? form.get("transaction")?.trim() || null : null;
  const force = form.get("force") === "yes";
  const request: ResolveRequest = { commandId, quoteId, as, force, transactionId };
  return act(context, form, `resolve ${commandId}`, async () => ({
    request,
    outcome: await resolve(tools, actor, request),
  }));
};

export const confirmProposal = async (context: ConsoleContext): Promise<Response> => {
  const { tools } = context.var.site;
  const form = await formOf(context);
  const actor = actorOfRequest(context, "confirmed");
  const [ref, as] = [form.get("ref") ?? "", form.get("as")];
  if (as !== "succeeded" && as !== "not-executed")
    return refused(form, "The form does not say what is confirmed.")(context);
  return act(context, form, `confirm ${ref}`, () => confirm(tools, actor, { ref, as }));
};
