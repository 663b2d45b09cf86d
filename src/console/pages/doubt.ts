import { isSamePerson } from "../../operate/actor.ts";
import { explainOutage, type Tools } from "../../operate/tools.ts";
import { isSameQuote, proposalsOf, type Doubt } from "../../operate/doubts/doubts.ts";
import { factsOfDoubts, type DoubtFacts } from "../../operate/doubts/facts.ts";
import { NOT_EXECUTED_RISK } from "../../operate/resolve/outcome.ts";
import type { Proposal } from "../../operate/resolve/proposal.ts";
import { canAct, noteField, taskField } from "../act.ts";
import { hidden, link, notice, pathTo, reading } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { timeText, codeText, html, inlineText, sentence, timeAndAge } from "../html/text.ts";
import type { Cell, Html } from "../html/text.ts";
import type { ConsoleContext, Site } from "../site.ts";
import { aboutView, candidatesView, evidenceView } from "./doubt-facts.ts";
import { doubtPath, doubtsTable, journalState, readProposals } from "./doubts.ts";
import { failed, RELOAD_S } from "./problem.ts";

/** Facts are read again after so long; until then a refused form shows the same ones. */
const FACTS_MS = 60_000;

type Refusal = { form: URLSearchParams; problem: string };

type DoubtPage = {
  context: ConsoleContext;
  doubt: Doubt;
  facts: DoubtFacts | null;
  refusal: Refusal | null;
  nowMs: number;
};

const adviceView = (
  { quoteId, claimedAtMs }: Doubt,
  { partnerContact, runbookUrl }: Pick<Site["settings"], "partnerContact" | "runbookUrl">,
): Html =>
  notice(
    "wait",
    html`<strong>Ask the partner whether quote ${codeText(quoteId)} was accepted, at about ${timeText(claimedAtMs)}.</strong> If it was not, ask
      for their word that it will not be executed any more: that it is not in the books is not enough.
      If the partner cannot say, leave it open. Never say “not executed” on a guess.
      ${partnerContact && html`<br />Whom to ask: <strong>${inlineText(partnerContact)}</strong>`}
      ${runbookUrl && html`<br />${link(runbookUrl, "Your runbook for doubts", "noreferrer")}`}`,
  );

/** Says why nothing was done, and repeats the note, because the form may not be shown any more. */
const refusalView = ({ form, problem }: Refusal): Html => {
  const note = form.get("note");
  const typed = note && html`<br />Your note: ${inlineText(note, 1_000)}`;
  return notice("bad", html`<strong>Not done.</strong> ${sentence(problem)}${typed}`);
};

/** A radio button, or the checkbox for force, with its explanation. A refused choice stays checked. */
const choice = (
  refusal: Refusal | null,
  name: "as" | "force",
  value: string,
  label: string,
  hint: string,
): Html => {
  const type = name === "as" ? "radio" : "checkbox";
  const id = `${name}-${value}`;
  const state = html`${name === "as" && "required"} ${refusal?.form.get(name) === value && "checked"}`;
  return html`<p class="choice">
    <input type="${type}" id="${id}" name="${name}" value="${value}" aria-describedby="${id}-hint" ${state} />
    <label for="${id}">${label}</label>
    <span class="hint" id="${id}-hint">${hint}</span>
  </p>`;
};

const EXECUTED =
  "The final result becomes SUCCEEDED: its sender books it as done. This cannot be taken back.";
const NOT_EXECUTED = `The final result becomes FAILED. ${NOT_EXECUTED_RISK}`;
const FORCE =
  "Only when you are certain that no replica of that time still runs. With “not executed” the same " +
  "quote could be bought twice.";

/** When it can be resolved, the only sentence on the page about it, and the box for force where something needs it. */
const timeView = ({ doubt, nowMs, facts, refusal }: DoubtPage): Html => {
  const endableAtMs = doubt.resolvableAtMs;
  const isYoung = endableAtMs > nowMs;
  const hasEvidence = facts !== null && facts.evidence.length > 0;
  const young = html`<strong>It can be resolved from ${timeAndAge(endableAtMs, nowMs)} on.</strong> Until then a frozen replica
    could still make the call, or the partner could still be working on it.`;
  const evident = "“Not executed” needs force, because the evidence says that it was executed.";
  if (!isYoung && !hasEvidence) return html`<p>It can be resolved now.</p>`;
  return html`<div class="notice wait">
    <p>${isYoung ? young : "It can be resolved now."} ${hasEvidence && evident}</p>
    ${choice(refusal, "force", "yes", "Resolve it now anyway, with force", FORCE)}
  </div>`;
};

const fieldsOf = ({ commandId, quoteId }: Doubt): Html =>
  html`${taskField()} ${hidden("command", commandId)} ${hidden("quote", quoteId)}`;

/** Four eyes: what one person says, and the button for another one. */
const proposalView = ({ context, doubt }: DoubtPage, proposal: Proposal): Html => {
  const { ref, request, by, note, atMs, untilMs } = proposal;
  const { as, force, transactionId } = request;
  const { person } = context.var;
  const button = html`${fieldsOf(doubt)} ${hidden("ref", ref)} ${hidden("as", as)}
    <p><button class="main">Confirm, and resolve the doubt</button></p>`;
  const forOthers = canAct(context) ? button : "An operator must confirm it.";
  const isAuthor = person !== null && isSamePerson(person.name, by);
  return html`<form method="post" action="/confirm" class="panel">
    <h2>${inlineText(by)} proposes: it was ${as === "succeeded" ? "executed" : "not executed"}</h2>
    <p>${inlineText(note, 1_000)}
      <span class="dim">REF ${ref}, ${timeText(atMs)}; it can be confirmed until ${timeText(untilMs)}.</span></p>
    ${force && html`<p><strong>With force: it is resolved even if the call may still be under way.</strong></p>`}
    ${transactionId && html`<p>Its transaction: ${codeText(transactionId)}</p>`}
    ${as === "not-executed" && html`<p class="hint">${NOT_EXECUTED_RISK}</p>`}
    ${isAuthor ? html`<p><strong>Another person must confirm it.</strong></p>` : forOthers}
  </form>`;
};

/** The field for the transactionId, filled in if all evidence names one transaction. */
const transactionField = ({ facts, refusal }: DoubtPage): Html => {
  const [id = "", ...others] = new Set(facts?.evidence.map(({ transactionId }) => transactionId));
  const value = refusal?.form.get("transaction") ?? (others.length === 0 ? id : "");
  return html`<p class="field">
    <label for="transaction">transactionId</label>
    <span class="hint" id="transaction-hint">Optional. If it was executed, the final result carries this id. An event
      with this id must exist.</span>
    <input id="transaction" name="transaction" value="${value}" autocomplete="off"
      aria-describedby="transaction-hint" />
  </p>`;
};

const doubtForm = (shown: DoubtPage): Html => {
  const { context, doubt, refusal, nowMs } = shown;
  const { person, site } = context.var;
  const { fourEyes } = site.settings;
  if (!canAct(context)) {
    const from = doubt.resolvableAtMs <= nowMs ? "now" : html`at ${timeAndAge(doubt.resolvableAtMs, nowMs)}`;
    const nobody = html`: nobody signs in here. Set CONSOLE_AUTH, or use <code>cambio-bridge resolve</code>`;
    return html`<p>An operator can resolve it ${from}. You may only look${person === null && nobody}.</p>`;
  }
  const fourEyesHint =
    "Two people resolve a doubt: what you say is a proposal until another person confirms it.";
  return html`<form method="post" action="/doubt" class="panel">
    <h2>Resolve the doubt</h2>
    ${fieldsOf(doubt)} ${fourEyes && html`<p>${fourEyesHint}</p>`}
    <fieldset>
      <legend>What does the partner say of quote ${codeText(doubt.quoteId)}?</legend>
      ${choice(refusal, "as", "succeeded", "It was executed", EXECUTED)}
      ${choice(refusal, "as", "not-executed", "It was not executed", NOT_EXECUTED)}
    </fieldset>
    ${transactionField(shown)}
    ${noteField("Who at the partner said so, when, and a reference.", refusal?.form.get("note") ?? "")}
    ${timeView(shown)}
    <p><button class="main">${fourEyes ? "Propose to resolve the doubt" : "Resolve the doubt"}</button></p>
  </form>`;
};

const doubtView = async (context: ConsoleContext, doubt: Doubt, refusal: Refusal | null): Promise<Html> => {
  const { site } = context.var;
  const readFacts = async (tools: Tools): Promise<DoubtFacts | null> =>
    (await factsOfDoubts(tools, [doubt]))[0] ?? null;
  const [{ value: facts, error, isReading, progress }, proposals] = await Promise.all([
    site.read(`facts ${doubt.place}`, readFacts, FACTS_MS),
    readProposals(site),
  ]);
  const nowMs = site.clock.now();
  const shown: DoubtPage = { context, doubt, facts, refusal, nowMs };
  const doubtProposals = proposalsOf(doubt, proposals.value ?? []);
  // A page that loads itself again would lose what is being typed.
  const lookAgain = html`${reading("What the events say of it is still being read", progress)}
    <p>${link(doubtPath(doubt), "Look again")}</p>`;
  return html`<p>The bridge cannot know whether the partner executed it, and does not send it again.</p>
    ${facts && evidenceView(facts, nowMs)} ${isReading && lookAgain} ${error !== null && failed(context, error)}
    ${aboutView(doubt, facts, nowMs)} ${adviceView(doubt, site.settings)} ${facts && candidatesView(facts)}
    ${doubtProposals.map((proposal) => proposalView(shown, proposal))} ${doubtForm(shown)}`;
};

export const showDoubt = async (
  context: ConsoleContext,
  commandId: string,
  quoteId: string | null,
  refusal: Refusal | null = null,
): Promise<Response> => {
  const { site } = context.var;
  const show = (heading: string, body: Cell, more: { status?: 200 | 404; refreshS?: number } = {}) =>
    page(context, {
      title: "Doubt",
      ...(refusal ? { status: 422 } : more),
      body: html`<h1>Command ${codeText(commandId)} ${heading}</h1> ${refusal && refusalView(refusal)} ${body}
        <p>${link(pathTo("/story", { id: commandId }), "The whole story of this command")}</p>`,
    });
  const journal = await site.doubts.look();
  const finding = Promise.resolve(journal.value?.find({ commandId, quoteId: null }) ?? []);
  const doubts = await explainOutage(site.tools.config, finding);
  const [doubt, ...others] = doubts.filter((each) => quoteId === null || isSameQuote(each.quoteId, quoteId));
  const state = journalState(context, journal);
  if (doubt && others.length === 0)
    return show("is in doubt", html`${state} ${await doubtView(context, doubt, refusal)}`);
  if (doubts.length > 0) {
    const which = doubt
      ? "is in doubt for several quotes"
      : "is not in doubt for this quote, but for another";
    return show(which, doubtsTable(doubts, site.clock.now()));
  }
  const lookAgain = refusal && html`<p>${link(doubtPath({ commandId, quoteId }), "Look again")}</p>`;
  return state === null
    ? show("is not in doubt", html`<p>It was resolved, or it never was in doubt.</p>`, { status: 404 })
    : show("is being looked for", html`${state} ${lookAgain}`, { refreshS: RELOAD_S });
};

export const doubtPage = (context: ConsoleContext): Promise<Response> =>
  showDoubt(context, context.req.query("command") ?? "", context.req.query("quote") || null);
