import type { Context } from "hono";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { letterPath } from "../../html/paths.ts";
import { facts, notice, table } from "../../html/elements.ts";
import { code, sentence, inlineText, formatBytes } from "../../html/text.ts";
import { when } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { LetterDetail } from "../../ports.ts";
import { Problem } from "../../problem.ts";
import { readRef, refOf, type DeadLetter } from "../../../operator/replay/dead-letter.ts";
import { explainReason } from "../../../operator/replay/reasons.ts";
import { placeText } from "../../../runtime/record-position.ts";
import { canAct } from "../../forms/fields.ts";
import { askKafka } from "../ask-kafka.ts";
import { letterValue } from "./letter-value.ts";
import { planForm } from "./plan-form.ts";

const whereFrom = ({ source, origin, receivedAtMs }: DeadLetter, nowMs: number): Html => {
  if (origin !== null)
    return html`a command, at ${code(placeText(origin.topic, origin))}, ${when(origin.timestampMs, nowMs)}`;
  if (source === "webhook")
    return html`a notification of the
    partner${receivedAtMs === null ? "" : html`, ${when(receivedAtMs, nowMs)}`}`;
  return html`unknown: the bridge did not write it`;
};

const about = ({ letter, key }: LetterDetail, topic: string, nowMs: number): Html => {
  const { place, reason, detail, records, bytes, missing, obstacle, timestampMs } = letter;
  return facts([
    ["Reason", html`${code(reason)} ${explainReason(reason)}`],
    ["Detail", detail === "" ? "none" : inlineText(detail, 4_000)],
    ["Where it came from", whereFrom(letter, nowMs)],
    ["Put aside", when(timestampMs, nowMs)],
    [
      "Stands at",
      html`${code(placeText(topic, place))}, ${records.length > 1 ? `in ${records.length} parts, ` : ""}about
      ${formatBytes(bytes)}`,
    ],
    ["Key", key === null ? "none" : code(key.toString("utf8"))],
    ["Incomplete", missing === null ? null : inlineText(missing, 1_000)],
    ["Is not sent again", obstacle === null ? null : inlineText(obstacle, 1_000)],
  ]);
};

const headersTable = (headers: LetterDetail["headers"]): Html =>
  table({
    label: "Headers",
    columns: ["name", "value"],
    rows: headers.map(
      ([name, value]) =>
        html`<tr>
          <th scope="row">${code(name)}</th>
          <td>${inlineText(value, 4_000)}</td>
        </tr>`,
    ),
    empty: "It has no headers.",
  });

const valueOf = ({ letter, value }: LetterDetail, context: Context<ConsoleEnv>): Html =>
  value === null
    ? html`<p class="none">
        ${letter.missing === null ? "It has no value." : "Not all its parts are there."}
      </p>`
    : letterValue(value, letterPath(refOf(letter.place)), {
        as: context.req.query("as"),
        at: context.req.query("at"),
      });

/** One dead letter: its reason, its content, and its replays. */
export const letterPage = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const { site } = context.var;
  const ref = `${context.req.param("partition") ?? ""}/${context.req.param("offset") ?? ""}`;
  const found =
    readRef(ref) === null ? null : await askKafka(context, (signal) => site.queries.letter(ref, signal));
  if (found === null)
    throw new Problem(
      404,
      "There is no such dead letter.",
      "It may have been deleted with its age. Look at the list.",
      { link: "/dead-letters" },
    );
  const nowMs = site.clock.now();
  return page(context, {
    title: `Dead letter ${ref}`,
    body: html`
      <p class="crumbs"><a href="/dead-letters">Dead letters</a></p>
      <h1>Dead letter ${ref}</h1>
      ${about(found, site.options.topics.deadLetters, nowMs)}
      <h2>Sent again</h2>
      ${
        found.replayed.length === 0
          ? html`<p class="none">It was not sent again.</p>`
          : notice(
              "plain",
              html`<ul>
                ${found.replayed.map((line) => html`<li>${sentence(line)}</li>`)}
              </ul>`,
            )
      }
      <h2 id="value">Value</h2>
      ${valueOf(found, context)}
      <h2>Headers</h2>
      ${headersTable(found.headers)} ${canAct(context) ? planForm(context, ref) : ""}
    `,
  });
};
