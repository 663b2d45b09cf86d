import { explainReason, type DeadLetter } from "../../operate/dead-letters/letter.ts";
import { listLetters, showLetter, type LetterList, type Selection } from "../../operate/dead-letters/read.ts";
import type { ShownLetter } from "../../operate/dead-letters/read.ts";
import { readRef } from "../../operate/read-topic.ts";
import { hexDump } from "../../runtime/hex-dump.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import { placeText, positionText } from "../../runtime/record-position.ts";
import { canAct } from "../act.ts";
import { facts, link, notice, pathTo, select, table, type Cells } from "../html/elements.ts";
import {
  timeText,
  block,
  codeText,
  count,
  formatCount,
  html,
  inlineText,
  sentence,
  timeAndAge,
} from "../html/text.ts";
import type { Html } from "../html/text.ts";
import { PageProblem, type ConsoleContext } from "../site.ts";
import { readingPage } from "./problem.ts";

const MAX_SHOWN = 40;
const HOUR_MS = 3_600_000;
const PERIODS = [
  ["1", "the last hour"],
  ["24", "the last day"],
  ["168", "the last seven days"],
  ["all", "all that are kept"],
] as const;
const MAX_TEXT = 160;

/** Which letters are meant. `until`: when a replay of them was planned, so that it sends what its plan shows. */
export type Filter = { reason: string; period: string; until: number };

export const filterOf = (parameter: (name: string) => string | null | undefined, nowMs: number): Filter => {
  const [reason, period, until] = ["reason", "period", "until"].map((name) => parameter(name) ?? "");
  return {
    reason: reason ?? "",
    period: PERIODS.find(([value]) => value === period)?.[0] ?? "168",
    until: /^\d{1,15}$/.test(until ?? "") ? Number(until) : nowMs + 1,
  };
};

export const selectionOf = ({ reason, period, until }: Filter): Selection => ({
  ...(reason !== "" && { reason }),
  ...(period !== "all" && { sinceMs: until - Number(period) * HOUR_MS }),
  untilMs: until,
});

const filterForm = ({ reason, period }: Filter, reasons: readonly string[]): Html => {
  const all = [...new Set([...reasons, reason])].sort();
  const choices = all.map((each) => [each, escapeInvisible(each.slice(0, MAX_TEXT)) || "any"] as const);
  return html`<form class="panel filter" action="/dead-letters" method="get">
    ${select("reason", "Reason", choices, reason)} ${select("period", "Time", PERIODS, period)}
    <p><button>Show</button></p>
  </form>`;
};

const lettersView = (list: LetterList, { reason, period }: Filter, nowMs: number): Html => {
  const rowOf = (letter: DeadLetter): Cells => {
    const ref = positionText(letter.place);
    const source = letter.source === "webhook" ? "notification" : letter.source;
    return {
      REF: link(pathTo("/letter", { ref }), ref),
      when: timeAndAge(letter.timestampMs, nowMs),
      reason: html`${codeText(letter.reason, 60)}<br /><small>a ${source}</small>`,
      "detail and value": html`${inlineText(letter.detail, MAX_TEXT)}<br />
        <small>${codeText(letter.preview, MAX_TEXT)}</small>`,
    };
  };
  const none = "There is no dead letter of this kind in this time.";
  const rows = list.letters.toReversed().map(rowOf);
  const all = link(pathTo("/replay", { reason, period }), "Plan a replay of all of them");
  const counts = html`<p><strong>${count(list.count, "dead letter")}</strong>, the newest first. ${all}</p>`;
  return html`${reason && html`<p class="dim">${sentence(explainReason(reason))}</p>`}
    ${list.count > 0 && counts} ${table("Dead letters", rows, none, list.count)}`;
};

export const lettersPage = async (context: ConsoleContext): Promise<Response> => {
  const { read, clock } = context.var.site;
  const filter = filterOf((name) => context.req.query(name), clock.now());
  const reading = await read(`letters ${filter.period} ${filter.reason}`, (tools) =>
    listLetters(tools, selectionOf(filter), MAX_SHOWN),
  );
  const reasons = [...(reading.value?.byReason.keys() ?? [])].slice(0, MAX_SHOWN);
  return readingPage(context, reading, {
    title: "Dead letters",
    head: html`<h1>Dead letters</h1>
      <p>Records and notifications that the bridge could not understand, kept byte for byte.</p>
      ${filterForm(filter, reasons)}`,
    what: "The dead letters are being read",
    view: (list) => lettersView(list, filter, clock.now()),
  });
};

const MAX_HEX_BYTES = 4_096;

const valueView = (value: Buffer | null): Html => {
  if (value === null) return html`<p class="none">It has no value (null).</p>`;
  const part = value.length > MAX_HEX_BYTES ? `the first ${formatCount(MAX_HEX_BYTES)} bytes of it ` : "";
  return html`${block(value.toString("utf8"))}
    <details><summary>Show ${part}as hex</summary>
      <pre>${hexDump(value.subarray(0, MAX_HEX_BYTES)).join("\n")}</pre></details>`;
};

const letterView = ({ letter, loaded }: ShownLetter, topic: string, nowMs: number): Html => {
  const { reason, detail, source, origin, place, timestampMs, missing } = letter;
  const cut = `The value was cut, as it was too large for the topic: ${missing}.`;
  const unknown = source === "webhook" ? "a webhook" : "not known";
  const came = html`${timeAndAge(timestampMs, nowMs)} <span class="dim">${placeText(topic, place)}</span>`;
  const from = origin
    ? html`${codeText(placeText(origin.topic, origin))}, ${timeText(origin.timestampMs)}`
    : unknown;
  return html`${facts([
    ["Reason", html`<strong>${codeText(reason)}</strong>`],
    ["What it means", sentence(explainReason(reason))],
    ["Detail", inlineText(detail, 1_000)],
    ["Became a dead letter", came],
    ["Came from", from],
  ])}
    <h2>Value</h2> ${missing !== null && notice("wait", cut)} ${valueView(loaded.original.value)}
    <p class="dim">All bytes and headers: <code>cambio-bridge dead-letters show ${positionText(place)}</code></p>`;
};

export const letterPage = async (context: ConsoleContext): Promise<Response> => {
  const { tools, read, clock } = context.var.site;
  const refText = context.req.query("ref") ?? "";
  const ref = readRef(refText);
  const none = new PageProblem(404, "There is no such dead letter.", "It may be deleted by now.");
  if (ref === null) throw none;
  const reading = await read(`letter ${refText}`, (tools) => showLetter(tools, ref));
  const plan = html`<p><a class="button" href="${pathTo("/replay", { ref: refText })}">Plan a replay of it</a></p>`;
  return readingPage(context, reading, {
    title: `Dead letter ${refText}`,
    head: html`<h1>Dead letter ${refText}</h1>`,
    what: "The dead letter is being read",
    view: (shown) => {
      if (shown === null) throw none;
      const { deadLetters } = tools.config.topics;
      return html`${letterView(shown, deadLetters, clock.now())} ${canAct(context) && plan}`;
    },
  });
};
