import type { Doubt } from "../../operate/doubts/doubts.ts";
import type { DoubtFacts } from "../../operate/doubts/facts.ts";
import { facts, notice, table } from "../html/elements.ts";
import { pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { block, code, count, inlineText } from "../html/text.ts";
import { at, when } from "../html/time.ts";
import type { Site } from "../site.ts";

const MAX_ID = 80;

const answerOf = ({ httpStatus, error }: Doubt): Html => html`
  ${httpStatus === null ? html`<strong>None came.</strong>` : html`<strong>HTTP ${httpStatus}</strong>, which proves neither.`}
  ${error === null ? "" : html` ${code(error.code)}: ${inlineText(error.message, 1_000)}`}
`;

/** False where the last call is counted only because it may have left. */
const isSureOfCalls = ({ error, attempts }: Doubt): boolean =>
  error !== null && error.code !== "OWNER_LOST" && attempts > 0;

/** All that the call to the partner needs. */
export const aboutView = (doubt: Doubt, known: DoubtFacts | null, nowMs: number): Html => {
  const { operation, quoteId, externalId, claimedAtMs, sinceMs, place, attempts, response } = doubt;
  const command = known?.command ?? null;
  const said = (name: string): string | null => command?.facts.find(([fact]) => fact === name)?.[1] ?? null;
  const amount = said("amount");
  const unread =
    known === null
      ? html`<span class="dim">being read</span>`
      : html`not known: the command is not in the topic any more`;
  const isAccept = operation === "ACCEPT_QUOTE";
  return html`<h2>What to tell the partner</h2>
    ${facts([
      [
        "Asked",
        isAccept
          ? "to accept a quote: it buys currency and cannot be undone"
          : "to create a quote: it moves no money by itself",
      ],
      ["quoteId", quoteId === null ? null : code(quoteId)],
      ["externalId", externalId === null ? "none was given" : code(externalId)],
      [
        "Amount",
        isAccept
          ? command
            ? amount === null
              ? "that of the quote"
              : inlineText(amount)
            : unread
          : null,
      ],
      ["counterpartyId", isAccept ? (command ? code(said("counterpartyId") ?? "") : unread) : null],
      ["Claimed", when(claimedAtMs, nowMs)],
      [
        "The call",
        html`between then and ${at(sinceMs)}:
        ${isSureOfCalls(doubt) ? html`${count(attempts, "call")} left for the partner` : "it may have left"}`,
      ],
      ["Last answer", answerOf(doubt)],
      ["In doubt since", html`${when(sinceMs, nowMs)} <span class="dim">${place}</span>`],
    ])}
    ${
      response === null
        ? ""
        : html`<h3>The answer's text</h3>
            ${block(response, 8_000)}`
    }`;
};

/** What to ask, whom, and what not to do. */
export const adviceView = (
  { operation, quoteId, claimedAtMs }: Doubt,
  { partnerContact, runbookUrl }: Pick<Site["settings"], "partnerContact" | "runbookUrl">,
): Html => {
  const what =
    operation === "ACCEPT_QUOTE"
      ? html`whether quote ${quoteId === null ? "of this command" : code(quoteId)} was accepted`
      : "whether a quote was created for this command";
  return notice(
    "wait",
    html`<p>
        <strong>Ask the partner ${what}, at about ${at(claimedAtMs)}.</strong> Their books count, not their
        last answer. If the partner cannot say, leave it open: that costs nothing. Never say “not executed” on
        a guess.
      </p>
      ${partnerContact === undefined ? "" : html`<p>Whom to ask: <strong>${inlineText(partnerContact)}</strong></p>`}
      ${runbookUrl === undefined ? "" : html`<p><a href="${runbookUrl}" rel="noreferrer">Your runbook for doubts</a></p>`}`,
  );
};

/** Transactions that may be what the partner made of the call. */
export const factsView = ({ transactions, more, sinceMs, untilMs }: DoubtFacts): Html => {
  const { markup } = table({
    label: "Transactions that began after the claim",
    columns: ["transaction", "first event", "first status", "last status"],
    rows: transactions.map(({ transactionId, firstStatus, lastStatus, firstAtMs }) => [
      html`<a href="${pathTo("/story", { id: transactionId })}">${code(transactionId, MAX_ID)}</a>`,
      at(firstAtMs),
      inlineText(firstStatus, MAX_ID),
      inlineText(lastStatus, MAX_ID),
    ]),
    empty: "None is known.",
  });
  return html`<h2>Transactions that began after the claim <small>and that no known result names</small></h2>
    ${markup}
    <p class="dim">
      ${more > 0 ? `${count(more, "further one is", "further ones are")} not shown.` : ""} Looked for from
      ${at(sinceMs)} to ${at(untilMs)}. If one of them is of this quote, it was executed; that there is none
      proves nothing.
    </p>`;
};
