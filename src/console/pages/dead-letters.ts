import { refOf, type DeadLetter, explainReason } from "../../operate/dead-letters/letter.ts";
import { listLetters, type LetterList, type Selection } from "../../operate/dead-letters/read.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import { canAct } from "../act.ts";
import { link, pager, select, table, tag } from "../html/elements.ts";
import { pathTo } from "../html/path.ts";
import { ago, at, code, count, html, inlineText, sentence, type Cell, type Html } from "../html/text.ts";
import type { ConsoleContext } from "../site.ts";
import { readingPage } from "./problem.ts";

const PER_PAGE = 40;
/** Each page reads those before it, too. */
const MAX_PAGES = 25;
const HOUR_MS = 3_600_000;
const PERIODS = [
  ["1", "the last hour"],
  ["24", "the last day"],
  ["168", "the last seven days"],
  ["all", "all that are kept"],
] as const;
const DEFAULT_PERIOD = "168";
const MAX_TEXT = 160;

/** Which letters are meant. `until` is the time of the first page, so that newer ones do not shift the others. */
export type Filter = { reason: string; period: string; until: number };

/** The filter of a query or a form. */
export const filterOf = (given: (name: string) => string | null | undefined, nowMs: number): Filter => {
  const [period, until] = [given("period") ?? "", given("until") ?? ""];
  return {
    reason: given("reason") ?? "",
    period: PERIODS.some(([value]) => value === period) ? period : DEFAULT_PERIOD,
    until: /^\d{1,15}$/.test(until) ? Number(until) : nowMs + 1,
  };
};

export const selectionOf = ({ reason, period, until }: Filter): Selection => ({
  ...(reason !== "" && { reason }),
  ...(period !== "all" && { sinceMs: until - Number(period) * HOUR_MS }),
  untilMs: until,
});

const filterForm = ({ reason, period }: Filter, reasons: readonly string[]): Html => {
  const all = [...new Set([...reasons, ...(reason === "" ? [] : [reason])])].sort();
  const choices = [
    ["", "any"],
    ...all.map((each) => [each, escapeInvisible(each.slice(0, MAX_TEXT))] as const),
  ] as const;
  return html`<form class="panel filter" action="/dead-letters" method="get">
    ${select("reason", "Reason", choices, reason)} ${select("period", "Time", PERIODS, period)}
    <p><button>Show</button></p>
  </form>`;
};

const replayed = (letter: DeadLetter, sent: LetterList["sent"]): Cell => {
  const last = sent(letter).at(-1);
  return last
    ? html`${tag("good", "replayed")} <small>${at(last.atMs)} by ${inlineText(last.by, 60)}</small>`
    : "no";
};

const COLUMNS = ["letter", "when", "reason", "detail and value", "replayed"];

/** A page of letters, the newest first. */
const lettersView = (context: ConsoleContext, list: LetterList, filter: Filter, from: number): Html => {
  const nowMs = context.var.site.clock.now();
  const letters = [...list.letters].reverse().slice(from, from + PER_PAGE);
  const isChoosing = canAct(context) && letters.length > 0;
  const rowOf = (letter: DeadLetter): readonly Cell[] => {
    const { place, reason, detail, source, timestampMs, preview } = letter;
    const ref = refOf(place);
    const box = html`<input type="checkbox" name="ref" value="${ref}" aria-label="Letter ${ref}" />`;
    return [
      html`${isChoosing ? box : ""} ${link(pathTo("/letter", { ref }), ref)}`,
      html`<strong>${ago(timestampMs, nowMs)}</strong><br />${at(timestampMs)}`,
      html`${code(reason, 60)}<br /><small>a ${source === "webhook" ? "notification" : source}</small>`,
      html`${inlineText(detail, MAX_TEXT)}<br /><small>${code(preview, MAX_TEXT)}</small>`,
      replayed(letter, list.sent),
    ];
  };
  const none = "There is no dead letter of this kind in this time.";
  const { markup, shown } = table("Dead letters", COLUMNS, letters.map(rowOf), none);
  const reachable = Math.min(list.count, PER_PAGE * MAX_PAGES);
  const pages = { path: "/dead-letters", query: filter, from, shown };
  const narrow = html`<p>Choose a reason or a shorter time to see the older ones.</p>`;
  const all = link(pathTo("/replay", filter), "Plan a replay of all of them");
  const form = html`<form action="/replay" method="get">
    ${markup} <p><button>Plan a replay of the chosen ones</button></p>
  </form>`;
  return html`${filter.reason === "" ? "" : html`<p class="dim">${sentence(explainReason(filter.reason))}</p>`}
    ${list.count === 0 ? "" : html`<p><strong>${count(list.count, "dead letter")}</strong>, the newest first. ${all}</p>`}
    ${isChoosing ? form : markup}
    ${pager(pages, { total: reachable, perPage: PER_PAGE }, ["Newer", "Older"])}
    ${from + shown >= reachable && reachable < list.count ? narrow : ""}`;
};

export const lettersPage = async (context: ConsoleContext): Promise<Response> => {
  const { connections, read, clock } = context.var.site;
  const query = (name: string): string | undefined => context.req.query(name);
  const filter = filterOf(query, clock.now());
  const { reason, period } = filter;
  const given = query("from") ?? "";
  const from = /^\d{1,4}$/.test(given) ? Math.min(Number(given), PER_PAGE * MAX_PAGES) : 0;
  // The first page is of this moment: while it is being read it is found again by its filter alone.
  const key = JSON.stringify(["letters", reason, period, query("until"), from]);
  const found = await read(key, async (onProgress, signal) => {
    const options = { limit: from + PER_PAGE, onProgress };
    return { list: await listLetters(connections, selectionOf(filter), options, signal), of: filter };
  });
  const reasons = found.kind === "read" ? [...found.value.list.byReason.keys()].slice(0, PER_PAGE) : [];
  return readingPage(context, found, {
    title: "Dead letters",
    head: html`<h1>Dead letters</h1>
      <p>Records and notifications that the bridge could not understand, kept byte for byte.</p>
      ${filterForm(filter, reasons)}`,
    what: "The dead letters are being read",
    view: ({ list, of }) => lettersView(context, list, of, from),
  });
};
