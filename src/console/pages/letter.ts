import { readRef, refOf, explainReason } from "../../operate/dead-letters/letter.ts";
import { showLetter, type ShownLetter } from "../../operate/dead-letters/read.ts";
import { hexDump } from "../../runtime/hex-dump.ts";
import { placeText } from "../../runtime/record-position.ts";
import { canAct } from "../act.ts";
import { facts, link, notice } from "../html/elements.ts";
import { pathTo } from "../html/path.ts";
import {
  at,
  block,
  code,
  formatCount,
  html,
  inlineText,
  sentence,
  when,
  type Cell,
  type Html,
} from "../html/text.ts";
import { Problem } from "../problem.ts";
import type { ConsoleContext } from "../site.ts";
import { readingPage } from "./problem.ts";

const MAX_HEX_BYTES = 4_096;
const MAX_SENT = 5;

const FORMS = ["decoded", "text", "hex"] as const;
type Form = (typeof FORMS)[number];

const valueView = ({ loaded, decoded }: ShownLetter, as: Form): Html => {
  const { value } = loaded.original;
  if (value === null) return html`<p class="none">It has no value (null).</p>`;
  if (as === "decoded" && decoded !== null) return block(decoded);
  if (as !== "hex") return block(value.toString("utf8"));
  const cut = `The first ${formatCount(MAX_HEX_BYTES)} of ${formatCount(value.length)} bytes.`;
  return html`<pre>${hexDump(value.subarray(0, MAX_HEX_BYTES)).join("\n")}</pre>
    ${value.length > MAX_HEX_BYTES ? html`<p class="dim">${cut}</p>` : ""}`;
};

const sentView = (sent: ShownLetter["sent"]): Cell => {
  const lines = sent
    .slice(-MAX_SENT)
    .map(({ by, atMs, where }) => html`<div>${at(atMs)} by ${inlineText(by, 60)}: ${code(where)}</div>`);
  return lines.length === 0 ? "never" : html`${lines}`;
};

/** One dead letter. `topic`: of the dead letters. */
const letterView = (shown: ShownLetter, asked: string, topic: string, nowMs: number): Html => {
  const { letter, sent, decoded } = shown;
  const { reason, detail, source, origin, place, timestampMs, bytes } = letter;
  const ref = refOf(place);
  const forms = FORMS.filter((form) => form !== "decoded" || decoded !== null);
  const as = forms.find((form) => form === asked) ?? forms[0] ?? "text";
  const links = forms.map((form) =>
    form === as
      ? html`<strong>${form}</strong> `
      : html`${link(pathTo("/letter", { ref, as: form }), form)} `,
  );
  const other = source === "webhook" ? "a webhook" : "not known";
  return html`${facts([
    ["Reason", html`<strong>${code(reason)}</strong>`],
    ["What it means", sentence(explainReason(reason))],
    ["Detail", inlineText(detail, 1_000)],
    [
      "Became a dead letter",
      html`${when(timestampMs, nowMs)} <span class="dim">${placeText(topic, place)}</span>`,
    ],
    [
      "Came from",
      origin === null ? other : html`${code(placeText(origin.topic, origin))}, ${at(origin.timestampMs)}`,
    ],
    ["Size", `${formatCount(bytes)} bytes with its key and headers`],
    ["Replayed", sentView(sent)],
  ])}
    <h2>Value <small>as ${links}</small></h2>
    ${letter.missing === null ? "" : notice("wait", `The value was cut, as it was too large for the topic: ${letter.missing}.`)}
    ${valueView(shown, as)}
    <p class="dim">All bytes and headers: <code>cambio-bridge dead-letters show ${ref}</code></p>`;
};

const NO_LETTER = "Its name is of the form 0/4711. It may be deleted by now.";

export const letterPage = async (context: ConsoleContext): Promise<Response> => {
  const { connections, read, clock } = context.var.site;
  const given = context.req.query("ref") ?? "";
  const ref = readRef(given);
  if (ref === null) throw new Problem(404, "There is no such dead letter.", NO_LETTER);
  const found = await read(`letter ${given}`, (_, signal) => showLetter(connections, ref, signal));
  const plan = html`<p><a class="button" href="${pathTo("/replay", { ref: given })}">Plan a replay of it</a></p>`;
  return readingPage(context, found, {
    title: `Letter ${given}`,
    head: html`<h1>Dead letter ${given}</h1>`,
    what: "The dead letter is being read",
    view: (shown) => {
      if (shown === null) throw new Problem(404, `There is no dead letter ${given}.`, NO_LETTER);
      const { deadLetters } = connections.config.topics;
      const view = letterView(shown, context.req.query("as") ?? "", deadLetters, clock.now());
      return html`${view} ${canAct(context) ? plan : ""}`;
    },
  });
};
