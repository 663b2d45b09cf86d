import { listLetters } from "../../operate/dead-letters/list.ts";
import { isPause, PAUSABLE, pauses as askPauses } from "../../operate/pause.ts";
import { recordsPerMinute } from "../../operate/rates.ts";
import { status as askStatus, type Status } from "../../operate/status.ts";
import { notice, reading, table } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { plot } from "../html/plot.ts";
import { code, count, formatCount, inlineText } from "../html/text.ts";
import { ago, at } from "../html/time.ts";
import type { Reading } from "../readings.ts";
import type { DoubtsNow } from "../shared-doubts.ts";
import type { Answer, ConsoleContext, Site } from "../site.ts";
import { isAllKnown, troublesOf, type Known, type Part, type Trouble } from "./troubles.ts";
import { searchForm } from "./story.ts";

const REFRESH_S = 10;
/** While something is still being read. */
const REFRESH_SOON_S = 2;
/** Dead letters are counted so far back. */
const LETTERS_MS = 7 * 86_400_000;
const MAX_REPLICAS = 50;

const partOf = <T>(from: Reading<T>): Part<T> => {
  if (from.kind === "failed") return { error: from.error };
  if (from.kind === "read") return { value: from.value };
  return from.before && { value: from.before.value };
};

const doubtsPart = (now: DoubtsNow): Known["doubts"] => {
  if (now.kind !== "open") return now.kind === "failed" ? { error: now.error } : null;
  const { isComplete, problem, ...progress } = now.doubts.progress();
  return { value: { ...now.doubts.numbers(), progress, isComplete, problem } };
};

const readAll = async (site: Site) => {
  const { connections, readings, clock } = site;
  const warn = { warn: (text: string) => site.log.warn({ sentence: text }, "console.warning") };
  const [status, pauses, letters, rates, doubts] = await Promise.all([
    readings.status.get("", (_, signal) => askStatus(connections, signal)),
    readings.pauses.get("", (_, signal) => askPauses(connections, warn, signal)),
    readings.counts.get("", (onProgress, signal) => {
      const sinceMs = clock.now() - LETTERS_MS;
      return listLetters(connections, { sinceMs }, { limit: 0, onProgress, ...warn }, signal);
    }),
    readings.rates.get("", (_, signal) => recordsPerMinute(connections, signal)),
    site.doubts.look(),
  ]);
  const known: Known = {
    topic: connections.config.topics.commands,
    status: partOf(status),
    pauses: partOf(pauses),
    doubts: doubtsPart(doubts),
    letters: partOf(letters),
  };
  return {
    known,
    letters,
    rates,
    isReading: [status, pauses, letters, rates].some(({ kind }) => kind === "reading"),
  };
};

const verdict = (known: Known, troubles: readonly Trouble[]): Html => {
  const [worst, ...others] = troubles;
  const rest = others.map(({ tone, what, todo }) =>
    notice(tone, html`<p><strong>${what}.</strong> ${todo}</p>`),
  );
  if (worst)
    return html`<section class="verdict ${worst.tone}">
        <h1>${worst.what}.</h1>
        <p>${worst.todo}</p>
      </section>
      ${rest}`;
  return isAllKnown(known)
    ? html`<section class="verdict good">
        <h1>No command is in doubt, and commands are taken.</h1>
        <p>Of every command it is known what became of it, or it is being executed.</p>
      </section>`
    : html`<section class="verdict wait">
        <h1>Kafka is being asked.</h1>
        <p>Nothing is known to be wrong so far, but not everything is read.</p>
      </section>`;
};

const NOT_KNOWN = "not known";

const card = (tone: string, label: string, value: Html | string, detail: Html | string): Html =>
  html`<li class="card ${tone}">
    <span class="label">${label}</span> <span class="value">${value}</span>
    <span class="detail">${detail}</span>
  </li>`;

const textOf = <T>(part: Part<T>, text: (value: T) => Html | string): Html | string =>
  part !== null && "value" in part ? text(part.value) : part === null ? "being asked" : NOT_KNOWN;

const cards = ({ known }: { known: Known }, nowMs: number): Html => {
  const { status, doubts, pauses } = known;
  const paused = textOf(pauses, (entries) => {
    const names = PAUSABLE.filter((flow) => isPause(entries.get(flow), nowMs));
    return names.length === 0 ? "none" : names.join(", ");
  });
  const underWay = textOf(doubts, ({ underWay: n, isComplete }) =>
    isComplete ? `${count(n, "call")} may be under way` : "the journal is still being read",
  );
  const lastRun = textOf(status, ({ reconcile: { lastCompleteAtMs } }) =>
    lastCompleteAtMs === null ? "none known" : ago(lastCompleteAtMs, nowMs),
  );
  return html`<ul class="cards">
    ${card(
      "",
      "In doubt",
      textOf(doubts, ({ doubts: n, isComplete }) => (isComplete || n > 0 ? formatCount(n) : "being asked")),
      underWay,
    )}
    ${card(
      "",
      "Commands that wait",
      textOf(status, ({ commands: { lag } }) => formatCount(lag)),
      textOf(status, ({ commands: { partitions } }) => `in ${count(partitions.length, "partition")}`),
    )}
    ${card(
      "",
      "Replicas",
      textOf(status, ({ commands: { members } }) => formatCount(members.length)),
      "take commands",
    )}
    ${card("", "Paused", paused, "flows, on all replicas")}
    ${card(
      "",
      "Last complete reconcile",
      lastRun,
      textOf(status, ({ reconcile }) =>
        reconcile.lastCompleteAtMs === null ? "the partner's log" : at(reconcile.lastCompleteAtMs),
      ),
    )}
  </ul>`;
};

const journalReading = ({ doubts }: Known): Html | string =>
  doubts !== null && "value" in doubts && !doubts.value.isComplete && doubts.value.problem === null
    ? reading("The journal is still being read, so there may be more in doubt", doubts.value.progress)
    : "";

const lettersSection = ({ letters, known }: Awaited<ReturnType<typeof readAll>>): Html => {
  const shown = textOf(
    known.letters,
    ({ byReason }) =>
      table({
        label: "Dead letters of the last seven days, by reason",
        columns: ["reason", "letters"],
        rows: [...byReason]
          .sort(([, a], [, b]) => b - a)
          .map(([reason, n]) => [
            html`<a href="${pathTo("/dead-letters", { reason })}">${code(reason, 80)}</a>`,
            html`<span class="number">${formatCount(n)}</span>`,
          ]),
        empty: "None.",
      }).markup,
  );
  const isNew = letters.kind === "reading" && letters.before === null;
  return html`<h2>Dead letters <small>of the last seven days</small></h2>
    ${isNew ? reading("Dead letters are still being counted", letters.progress) : html`<div>${shown}</div>`}`;
};

const replicasSection = (known: Status, topic: string): Html => {
  const { members, partitions } = known.commands;
  const lagging = partitions.filter(({ lag }) => lag > 0);
  const { leader } = known.reconcile;
  return html`<h2>Replicas</h2>
    ${
      table({
        label: "Replicas",
        columns: ["host", "client", "partitions of commands", "partner's log"],
        rows: members
          .slice(0, MAX_REPLICAS)
          .map(({ clientId, host, partitions: held }) => [
            inlineText(host, 80),
            code(clientId, 80),
            held[topic]?.join(", ") ?? "none",
            leader?.clientId === clientId && leader.host === host ? "reads it" : "stands by",
          ]),
        empty: "No replica is in the group.",
      }).markup
    }
    ${
      lagging.length === 0
        ? ""
        : html`<h2>Commands that wait</h2>
            ${
              table({
                label: "Commands that wait, by partition",
                columns: ["partition", "waiting", "done up to offset", "end of the topic"],
                rows: lagging.map(({ partition, lag, committed, end }) => [
                  String(partition),
                  html`<strong>${formatCount(lag)}</strong>`,
                  committed === null ? "nothing yet" : formatCount(committed),
                  formatCount(end),
                ]),
                empty: "None.",
              }).markup
            }`
    }`;
};

export const overviewPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const all = await readAll(site);
  const { known, rates } = all;
  const nowMs = site.clock.now();
  const troubles = troublesOf(known, nowMs);
  const isSoon = all.isReading || !isAllKnown(known);
  const answer: Answer = page(context, {
    title: troubles.length > 0 ? `${troubles.length} to look at` : "Overview",
    refreshS: isSoon ? REFRESH_SOON_S : REFRESH_S,
    body: html`
      ${verdict(known, troubles)} ${journalReading(known)} ${cards(all, nowMs)} ${searchForm("", "")}
      <h2>Records a minute <small>over the last hour</small></h2>
      ${
        rates.kind === "read" || (rates.kind === "reading" && rates.before !== null)
          ? plot(rates.kind === "read" ? rates.value : (rates.before?.value ?? []))
          : rates.kind === "reading"
            ? reading("Rates", null)
            : html`<p class="none">Not known: Kafka could not be asked.</p>`
      }
      ${lettersSection(all)} ${textOf(known.status, (status) => replicasSection(status, known.topic))}
      <p class="dim">As it was known ${at(nowMs)}.</p>
    `,
  });
  return answer;
};
