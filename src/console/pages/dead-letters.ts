import type { DeadLetter } from "../../operate/dead-letters/letter.ts";
import { refOf } from "../../operate/dead-letters/letter.ts";
import { listLetters, type LetterList } from "../../operate/dead-letters/list.ts";
import { explainReason } from "../../operate/dead-letters/reasons.ts";
import type { Selection } from "../../operate/dead-letters/read.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import { canAct } from "../act.ts";
import { notice, reading, select, table, tag, type Cell } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { code, count, formatCount, inlineText, sentence } from "../html/text.ts";
import { ago, at } from "../html/time.ts";
import type { Answer, ConsoleContext } from "../site.ts";
import { failed } from "./problem.ts";

const PER_PAGE = 40;
/** Each page reads those before it, too. */
const MAX_PAGES = 25;
const REFRESH_S = 2;
const HOUR_MS = 3_600_000;
const PERIODS = [
  { value: "1", label: "the last hour" },
  { value: "24", label: "the last day" },
  { value: "168", label: "the last seven days" },
  { value: "all", label: "all that are kept" },
];
const DEFAULT_PERIOD = "168";
const MAX_TEXT = 160;

/** Which letters are meant. `untilMs` is the time of the first page, so that newer ones do not shift the others. */
export type Filter = { reason: string; period: string; untilMs: number };

export const filterOf = ({ req, var: { site } }: ConsoleContext): Filter => {
  const period = req.query("period") ?? "";
  const until = req.query("until") ?? "";
  return {
    reason: req.query("reason") ?? "",
    period: PERIODS.some(({ value }) => value === period) ? period : DEFAULT_PERIOD,
    untilMs: /^\d{1,15}$/.test(until) ? Number(until) : site.clock.now() + 1,
  };
};

export const selectionOf = ({ reason, period, untilMs }: Filter): Selection => ({
  ...(reason !== "" && { reason }),
  ...(period !== "all" && { sinceMs: untilMs - Number(period) * HOUR_MS }),
  untilMs,
});

export const queryOf = ({ reason, period, untilMs }: Filter) => ({ reason, period, until: untilMs });

const filterForm = ({ reason, period }: Filter, reasons: readonly string[]): Html => {
  const all = [...new Set([...reasons, ...(reason === "" ? [] : [reason])])].sort();
  const choices = [
    { value: "", label: "any" },
    ...all.map((value) => ({ value, label: escapeInvisible(value.slice(0, MAX_TEXT)) })),
  ];
  return html`<form class="panel filter" action="/dead-letters" method="get">
    ${select("reason", "Reason", choices, reason)} ${select("period", "Time", PERIODS, period)}
    <p><button>Show</button></p>
  </form>`;
};

const replayed = (letter: DeadLetter, sent: LetterList["sent"]): Cell => {
  const known = sent(letter);
  const last = known?.at(-1);
  if (known === null) return "not known";
  return last
    ? html`${tag("good", "replayed")} <small>${at(last.atMs)} by ${inlineText(last.by, 60)}</small>`
    : "no";
};

const rowOf =
  ({ sent }: LetterList, isChoosing: boolean, nowMs: number) =>
  (letter: DeadLetter): readonly Cell[] => {
    const { place, reason, detail, source, timestampMs, preview } = letter;
    const ref = refOf(place);
    return [
      html`${isChoosing ? html`<input type="checkbox" name="ref" value="${ref}" aria-label="Letter ${ref}" /> ` : ""}<a
          href="${pathTo("/letter", { ref })}"
          >${ref}</a
        >`,
      html`<strong>${ago(timestampMs, nowMs)}</strong><br />${at(timestampMs)}`,
      html`${code(reason, 60)}<br /><small>a ${source === "webhook" ? "notification" : source}</small>`,
      html`${inlineText(detail, MAX_TEXT)}<br /><small>${code(preview, MAX_TEXT)}</small>`,
      replayed(letter, sent),
    ];
  };

/** A page of letters, the newest first. */
export const lettersView = (
  context: ConsoleContext,
  list: LetterList,
  filter: Filter,
  from: number,
): Html => {
  const nowMs = context.var.site.clock.now();
  const isChoosing = canAct(context);
  const letters = [...list.letters].reverse().slice(from, from + PER_PAGE);
  const { markup, shown } = table({
    label: "Dead letters",
    columns: ["letter", "when", "reason", "detail and value", "replayed"],
    rows: letters.map(rowOf(list, isChoosing, nowMs)),
    empty: "There is no dead letter of this kind in this time.",
  });
  const next = from + shown;
  const isLast = next >= PER_PAGE * MAX_PAGES;
  const query = queryOf(filter);
  const all = html`<p>
    <strong>${count(list.count, "dead letter")}</strong>${
      list.count === 0
        ? "."
        : html`, the newest first. <a href="${pathTo("/replay", query)}">Plan a replay of all of them</a>`
    }
  </p>`;
  return html` ${filter.reason === "" ? "" : html`<p class="dim">${sentence(explainReason(filter.reason))}</p>`}
    ${all}
    ${
      isChoosing && letters.length > 0
        ? html`<form action="/replay" method="get">
            ${markup}
            <p><button>Plan a replay of the chosen ones</button></p>
          </form>`
        : markup
    }
    <nav class="pager" aria-label="More dead letters">
      ${from > 0 ? html`<a href="${pathTo("/dead-letters", { ...query, from: Math.max(0, from - PER_PAGE) })}" rel="prev">Newer</a>` : ""}
      ${list.count > PER_PAGE ? html`<span>${formatCount(from + 1)} to ${formatCount(next)} of ${formatCount(list.count)}</span>` : ""}
      ${
        next >= list.count
          ? ""
          : isLast
            ? html`<span>Choose a reason or a shorter time to see the older ones.</span>`
            : html`<a href="${pathTo("/dead-letters", { ...query, from: next })}" rel="next">Older</a>`
      }
    </nav>`;
};

export const lettersPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const { connections, readings } = site;
  if (context.req.query("until") === undefined && context.req.query("from") !== undefined)
    return context.redirect("/dead-letters", 303);
  const filter = filterOf(context);
  const given = context.req.query("from") ?? "";
  const from = /^\d{1,4}$/.test(given) ? Math.min(Number(given), PER_PAGE * MAX_PAGES) : 0;
  const warnings: string[] = [];
  // The first page is of this moment: one that is still being read is found again by its filter alone.
  const key = JSON.stringify([filter.reason, filter.period, context.req.query("until") ?? "", from]);
  const found = await readings.letters.get(key, (onProgress, signal) =>
    listLetters(
      connections,
      selectionOf(filter),
      { limit: from + PER_PAGE, onProgress, warn: (text) => warnings.push(text) },
      signal,
    ),
  );
  const reasons = found.kind === "read" ? [...found.value.byReason.keys()].slice(0, PER_PAGE) : [];
  const show = (body: Html, refreshS?: number): Answer =>
    page(context, {
      title: "Dead letters",
      refreshS,
      body: html`<h1>Dead letters</h1>
        <p>Records and notifications that the bridge could not understand, kept byte for byte.</p>
        ${filterForm(filter, reasons)}
        ${warnings.map((text) => notice("wait", html`<p>${sentence(text)}</p>`))} ${body}`,
    });
  if (found.kind === "failed") return show(failed(context, found.error));
  if (found.kind === "reading")
    return show(reading("The dead letters are being read", found.progress), REFRESH_S);
  return show(lettersView(context, found.value, filter, from));
};
