import type { Context } from "hono";
import { canAct } from "../../forms/fields.ts";
import { progressNotice } from "../../html/progress.ts";
import { html, type Html } from "../../html/markup.ts";
import { page } from "../../html/layout.ts";
import { notice } from "../../html/elements.ts";
import { count, formatCount, sentence } from "../../html/text.ts";
import { ago, at, when } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Overview } from "../../ports.ts";
import { pausesSection } from "../pauses/pause-state.ts";
import { hourSection, lagSection, replicasSection } from "./figures.ts";

/** Reload interval for browsers without script. */
const REFRESH_S = 10;
/** A reconcile run is due every 15 minutes, so several were missed by then. */
const LATE_RECONCILE_MS = 3_600_000;

const NOT_KNOWN = "not known yet";

/** The headline: whether commands are in doubt. */
const verdict = ({ doubts, kafka }: Overview, nowMs: number): Html => {
  const { count: n, oldestAtMs, underWay, progress } = doubts;
  const isSure = progress.problem === null && kafka.up;
  const isNewestRead = progress.isComplete || progress.sinceMs !== null;
  const none =
    isSure && isNewestRead ? "No call is under way." : "Whether a call is under way is not known now.";
  const calls = underWay === 0 ? none : `${count(underWay, "call")} may be under way.`;
  if (n > 0)
    return html`<section class="verdict bad" aria-labelledby="verdict">
      <h1 id="verdict"><a href="/doubts">${count(n, "command is", "commands are")} in doubt</a></h1>
      <p>
        Money may have moved, and nobody knows.
        ${oldestAtMs === null ? "" : html`The oldest is in doubt since <strong>${when(oldestAtMs, nowMs)}</strong>.`}
        ${calls}
      </p>
      <p><a class="button" href="/doubts">See what is known and what to do</a></p>
    </section>`;
  const isKnown = progress.isComplete && isSure;
  return html`<section class="verdict ${isKnown ? "good" : "wait"}" aria-labelledby="verdict">
    <h1 id="verdict">${isKnown ? "No command is in doubt" : "No command is known to be in doubt"}</h1>
    <p>
      ${isKnown ? "Of every command it is known what became of it, or it is being executed." : "Not everything is known at this moment."}
      ${calls}
    </p>
  </section>`;
};

const kafkaBanner = ({ kafka }: Overview): Html =>
  kafka.up
    ? kafka.detail === null
      ? html``
      : notice("wait", html`<p>${sentence(kafka.detail)}</p>`)
    : notice(
        "bad",
        html`<p>
          <strong>Kafka does not answer.</strong> ${sentence(kafka.detail ?? "")} What is shown may be old.
          Check the brokers; <code>cambio-bridge doctor</code> says what is wrong.
        </p>`,
      );

const card = (tone: string, label: string, value: unknown, detail: unknown): Html =>
  html`<li class="card ${tone}">
    <span class="label">${label}</span> <span class="value">${value}</span>
    <span class="detail">${detail}</span>
  </li>`;

const cards = (overview: Overview, nowMs: number): Html => {
  const { deadLetters, lag, replicas, lastReconcile } = overview;
  const { lastHour, newestAtMs, records } = deadLetters;
  const isLate = lastReconcile !== null && nowMs - lastReconcile.completeAtMs > LATE_RECONCILE_MS;
  return html`<section aria-labelledby="state">
    <h2 id="state">State</h2>
    <ul class="cards">
      ${card(
        (lastHour ?? 0) > 0 ? "wait" : "",
        "Dead letters, last hour",
        html`<a href="/dead-letters">${lastHour === null ? "not known" : formatCount(lastHour)}</a>`,
        records === null
          ? NOT_KNOWN
          : html`${newestAtMs === null ? "none" : html`the newest ${ago(newestAtMs, nowMs)}`}; the topic holds
            ${count(records, "record")}`,
      )}
      ${
        lag.records === null
          ? card("", "Commands that wait", NOT_KNOWN, "")
          : card(
              "",
              "Commands that wait",
              formatCount(lag.records),
              html`in ${count(lag.partitions.length, "partition")}`,
            )
      }
      ${
        replicas === null
          ? card("", "Replicas", NOT_KNOWN, "")
          : card(
              replicas.length === 0 ? "bad" : "",
              "Replicas",
              formatCount(replicas.length),
              replicas.length === 0 ? "no replica takes commands" : "take commands",
            )
      }
      ${card(
        isLate ? "wait" : "",
        "Partner's log read completely",
        lastReconcile === null ? "not known" : ago(lastReconcile.completeAtMs, nowMs),
        lastReconcile === null
          ? "no complete run is known"
          : html`${at(lastReconcile.completeAtMs)}${isLate ? "; more than an hour ago" : ""}`,
      )}
    </ul>
  </section>`;
};

export const overviewPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { site } = context.var;
  const overview = site.queries.overview();
  const nowMs = site.clock.now();
  return page(context, {
    title: overview.doubts.count > 0 ? `${formatCount(overview.doubts.count)} in doubt` : "Overview",
    refreshS: REFRESH_S,
    isLive: true,
    body: html`
      <div id="first" data-live>
        ${kafkaBanner(overview)} ${verdict(overview, nowMs)}
        ${progressNotice(overview.doubts.progress, "The journal is still being read, so there may be more in doubt.")}
      </div>
      <div id="pauses" data-live>${pausesSection(overview.pauses, nowMs, canAct(context))}</div>
      <div id="cards" data-live>${cards(overview, nowMs)}</div>
      <div id="hour" data-live>${hourSection(overview)}</div>
      <div id="lag" data-live>${lagSection(overview)}</div>
      <div id="replicas" data-live>${replicasSection(overview)}</div>
      <p id="shown" class="dim" data-live>
        As it was known at ${at(overview.atMs)}, ${ago(overview.atMs, nowMs)}.
      </p>
    `,
  });
};
