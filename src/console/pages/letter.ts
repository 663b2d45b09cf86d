import { readRef, refOf } from "../../operate/dead-letters/letter.ts";
import { explainReason } from "../../operate/dead-letters/reasons.ts";
import { showLetter, type ShownLetter } from "../../operate/dead-letters/show.ts";
import { hexDump } from "../../runtime/hex-dump.ts";
import { iso } from "../../runtime/instant.ts";
import { placeText } from "../../runtime/record-position.ts";
import { canAct } from "../act.ts";
import { facts, notice, reading } from "../html/elements.ts";
import { page, pathTo } from "../html/layout.ts";
import { html, type Html } from "../html/markup.ts";
import { block, code, formatCount, inlineText, sentence } from "../html/text.ts";
import { at, when } from "../html/time.ts";
import { Problem } from "../problem.ts";
import type { Answer, ConsoleContext } from "../site.ts";
import { failed } from "./problem.ts";

const REFRESH_S = 2;
const MAX_HEX_BYTES = 4_096;
const MAX_HEADER = 400;

const FORMS = { decoded: "decoded", text: "text", hex: "hex" } as const;
type Form = keyof typeof FORMS;

const valueView = ({ loaded, decoded, letter }: ShownLetter, as: Form): Html => {
  if (loaded === null)
    return notice(
      "bad",
      html`<p>
        Its value cannot be shown:
        ${letter.missing === null ? "it is gone" : html`parts ${letter.missing} are missing`}.
      </p>`,
    );
  const { value } = loaded.original;
  if (value === null) return html`<p class="none">It has no value (null).</p>`;
  if (as === "decoded" && decoded !== null) return block(decoded);
  if (as !== "hex") return block(value.toString("utf8"));
  const cut =
    value.length > MAX_HEX_BYTES
      ? html`<p class="dim">
          The first ${formatCount(MAX_HEX_BYTES)} of ${formatCount(value.length)} bytes.
        </p>`
      : "";
  return html`<pre>${hexDump(value.subarray(0, MAX_HEX_BYTES)).join("\n")}</pre>
    ${cut}`;
};

/** One dead letter. `topic`: of the dead letters. */
export const letterView = (shown: ShownLetter, as: Form, topic: string, nowMs: number): Html => {
  const { letter, sent, loaded, decoded } = shown;
  const { reason, detail, source, origin, place, timestampMs, receivedAtMs, bytes } = letter;
  const ref = refOf(place);
  const forms = (Object.keys(FORMS) as Form[]).filter((form) => form !== "decoded" || decoded !== null);
  const added = [...(loaded?.added ?? [])];
  return html` ${facts([
      ["Reason", html`<strong>${code(reason)}</strong>`],
      ["What it means", sentence(explainReason(reason))],
      ["Detail", inlineText(detail, 1_000)],
      [
        "Became a dead letter",
        html`${when(timestampMs, nowMs)} <span class="dim">${placeText(topic, place)}</span>`,
      ],
      [
        "Came from",
        origin === null
          ? source === "webhook"
            ? "a webhook"
            : "not known"
          : html`${code(placeText(origin.topic, origin))}, ${at(origin.timestampMs)}`,
      ],
      ["Received", receivedAtMs === null ? null : at(receivedAtMs)],
      ["Size", `${formatCount(bytes)} bytes with its key and headers`],
      [
        "Replayed",
        sent === null
          ? "not known: the audit topic cannot be read"
          : sent.length === 0
            ? "never"
            : html`${sent.slice(-5).map(({ by, atMs, where }) => html`<div>${iso(atMs)} by ${inlineText(by, 60)}: ${inlineText(where)}</div>`)}`,
      ],
    ])}
    <h2>
      Value
      <small
        >as
        ${forms.map((form) => (form === as ? html`<strong>${form}</strong> ` : html`<a href="${pathTo("/letter", { ref, as: form })}">${form}</a> `))}</small
      >
    </h2>
    ${valueView(shown, as)}
    ${
      added.length === 0
        ? ""
        : html`<details>
            <summary>What the bridge added: ${added.length} headers</summary>
            ${facts(added.map(([name, value]) => [name, inlineText(value, MAX_HEADER)] as const))}
          </details>`
    }
    <p class="dim">All bytes and headers: <code>cambio-bridge dead-letters show ${ref}</code></p>`;
};

export const letterPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const given = context.req.query("ref") ?? "";
  const ref = readRef(given);
  if (ref === null)
    throw new Problem(404, "There is no such dead letter.", "Its name is of the form 0/4711.");
  const asked = context.req.query("as") ?? "decoded";
  const warn = (text: string): void => site.log.warn({ sentence: text }, "console.warning");
  const found = await site.readings.letter.get(given, (_, signal) =>
    showLetter(site.connections, ref, { warn }, signal),
  );
  const show = (body: Html, refreshS?: number): Answer =>
    page(context, {
      title: `Letter ${given}`,
      refreshS,
      body: html`<h1>Dead letter ${given}</h1>
        ${body}`,
    });
  if (found.kind === "failed") return show(failed(context, found.error));
  if (found.kind === "reading")
    return show(reading("The dead letter is being read", found.progress), REFRESH_S);
  if (found.value === null)
    throw new Problem(
      404,
      `There is no dead letter ${given}.`,
      "It may be deleted by now: the topic keeps 30 days.",
    );
  const as: Form =
    asked === "hex" ? "hex" : asked === "text" || found.value.decoded === null ? "text" : "decoded";
  return show(
    html`${letterView(found.value, as, site.connections.config.topics.deadLetters, site.clock.now())}
    ${canAct(context) ? html`<p><a class="button" href="${pathTo("/replay", { ref: given })}">Plan a replay of it</a></p>` : ""}`,
  );
};
