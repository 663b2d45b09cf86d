import { html, raw } from "hono/html";
import type { Delivery, Quote, RecordedRequest, Transaction } from "../types.ts";
import type { SimulatedPartner } from "../simulated-partner.ts";
import { pageStyle } from "./page-style.ts";

type Html = ReturnType<typeof html>;

const shown = 25;
const bodyShown = 300;

const timeOf = (at: number): Html => {
  const iso = new Date(at).toISOString();
  return html`<time title="${iso}">${iso.slice(11, 23)}</time>`;
};

const toned = (text: string, tones: Record<string, string>): Html =>
  html`<span class="${tones[text] ?? ""}">${text}</span>`;

const section = (
  title: string,
  note: string,
  columns: readonly string[],
  rows: readonly Html[],
): Html => html`
  <section>
    <h2>${title} <small>${note}</small></h2>
    <div class="wide">
      ${
        rows.length === 0
          ? html`<p class="none">nothing yet</p>`
          : html`<table>
              <tr>
                ${columns.map((column) => html`<th scope="col">${column}</th>`)}
              </tr>
              ${rows}
            </table>`
      }
    </div>
  </section>
`;

const quoteRow = (quote: Quote, now: number): Html => {
  const state = quote.executions > 0 ? "accepted" : now >= quote.expiresAt ? "expired" : "created";
  return html`<tr>
    <td><code>${quote.quoteId}</code></td>
    <td>${quote.direction}</td>
    <td>${quote.quotedAmount} (base ${quote.baseCurrencyIso}, quoted ${quote.quotedCurrencyIso})</td>
    <td>${quote.purpose}</td>
    <td>${toned(state, { accepted: "good", expired: "wait" })}</td>
    <td class="${quote.executions > 1 ? "bad" : ""}">${quote.executions}</td>
    <td>${timeOf(quote.createdAt)}</td>
  </tr>`;
};

const transactionRow = (transaction: Transaction): Html =>
  html`<tr>
    <td><code>${transaction.transactionId}</code></td>
    <td>${transaction.direction}</td>
    <td>
      <ol>
        ${transaction.statuses.map(({ status, createdAt }) => html`<li title="${new Date(createdAt).toISOString()}">${status}</li>`)}
      </ol>
    </td>
  </tr>`;

const deliveryRow = (delivery: Delivery): Html =>
  html`<tr>
    <td>${timeOf(delivery.createdAt)}</td>
    <td>${delivery.status}</td>
    <td><code>${delivery.transactionId}</code></td>
    <td class="long">${delivery.url}</td>
    <td>
      ${toned(delivery.state, { delivered: "good", failed: "bad", dropped: "bad", pending: "wait" })}${delivery.duplicate && " (duplicate)"}${delivery.forged && " (forged)"}
    </td>
    <td>${delivery.attempts.map(({ httpStatus, error }) => httpStatus ?? error).join(", ")}</td>
  </tr>`;

// Without headers: they contain the tokens, and this page may be shown to others.
const requestRow = (request: RecordedRequest): Html => {
  const body = request.body.toString("utf8");
  return html`<tr>
    <td>${timeOf(request.at)}</td>
    <td>${request.method}</td>
    <td><code>${request.target}</code></td>
    <td>
      ${request.answered ?? "none"}${request.faults.length > 0 && html` <span class="bad">${request.faults.join(", ")}</span>`}
    </td>
    <td><code>${body.length > bodyShown ? `${body.slice(0, bodyShown)}…` : body}</code></td>
  </tr>`;
};

const figures = (partner: SimulatedPartner): Html => {
  const totals = partner.totals();
  const names: [string, string][] = [
    ["requests", "requests"],
    ["created", "quotes created"],
    ["executions", "accepts executed"],
    ["executedTwice", "executed twice"],
    ["repetitions", "repeated accepts"],
    ["walking", "transactions under way"],
    ["notifications", "notifications"],
    ["pending", "not delivered yet"],
    ["delivered", "delivered"],
    ["failed", "given up"],
    ["dropped", "dropped"],
  ];
  const alarming = (name: string) => name === "executedTwice" && totals[name] !== 0;
  return html`<dl>
    ${names.map(
      ([name, label]) =>
        html`<div>
          <dt>${label}</dt>
          <dd class="${alarming(name) ? "bad" : ""}">${String(totals[name])}</dd>
        </div>`,
    )}
  </dl>`;
};

/** The HTML of the page at `/`. The template escapes every value. */
export const renderPage = async (partner: SimulatedPartner, refreshing: boolean): Promise<string> => {
  const { settings } = partner;
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        ${refreshing && html`<meta http-equiv="refresh" content="2" />`}
        <link rel="icon" href="data:," />
        <title>Partner sandbox</title>
        <style>
          ${raw(pageStyle)}
        </style>
      </head>
      <body>
        <header>
          <h1>Partner sandbox</h1>
          <span>time scale ${settings.timeScale}</span>
          <span>seed ${settings.seed}</span>
          <span>answers ${settings.answers}</span>
          ${settings.story !== null && html`<span>story ${settings.story}</span>`}
          <span>${new Date(partner.now()).toISOString()}</span>
          ${refreshing ? html`<a href="/?refresh=off">pause</a>` : html`<a href="/">refresh every 2 s</a>`}
        </header>
        ${figures(partner)}
        ${section(
          "Quotes",
          `newest ${shown}`,
          ["quote", "direction", "amount", "purpose", "state", "executed", "created"],
          partner.quotes.newest(shown).map((quote) => quoteRow(quote, partner.now())),
        )}
        ${section(
          "Transactions",
          "newest first, statuses in the order they were reached",
          ["transaction", "direction", "statuses"],
          partner.transactions.newest(shown).map(transactionRow),
        )}
        ${section(
          "Deliveries",
          "one line per notification and URL",
          ["changed", "status", "transaction", "URL", "state", "attempts"],
          partner.deliveries.newest(shown).map(deliveryRow),
        )}
        ${section(
          "Subscriptions",
          "",
          ["URL", "events"],
          partner.subscriptions.list().map(
            ({ url, events }) =>
              html`<tr>
                <td class="long">${url}</td>
                <td>${events.join(", ")}</td>
              </tr>`,
          ),
        )}
        ${section(
          "Faults",
          "installed over /_sandbox/faults",
          ["fault", "operation", "what", "match", "chance", "matched", "hits"],
          partner.faults.list().map(
            (rule) =>
              html`<tr>
                <td>${rule.faultId}</td>
                <td>${rule.operation}</td>
                <td><code>${JSON.stringify(rule.fault)}</code></td>
                <td><code>${JSON.stringify(rule.match)}</code></td>
                <td>${rule.probability}${rule.count !== null && `, ${rule.count} times`}</td>
                <td>${rule.matched}</td>
                <td>${rule.hits}</td>
              </tr>`,
          ),
        )}
        ${section(
          "Requests",
          "to the imitated API, as they came in",
          ["at", "method", "target", "answer", "body"],
          partner.requests.newest(shown).map(requestRow),
        )}
      </body>
    </html>`;
  return page.toString();
};
