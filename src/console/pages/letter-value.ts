import { hexDump } from "../html/hex.ts";
import { html, type Html } from "../html/markup.ts";
import { withQuery } from "../html/paths.ts";
import { prettyJson } from "../html/pretty-json.ts";
import { block, grouped, sized } from "../html/text.ts";

const WAYS = ["text", "json", "hex"] as const;
type Way = (typeof WAYS)[number];
const NAMES: Readonly<Record<Way, string>> = { text: "Text", json: "JSON", hex: "Hex" };

/** Of one page; what is longer has several. Hex takes four times the room. */
const TEXT_PART = 32_768;
const HEX_PART = 8_192;
const MAX_JSON_BYTES = 1_048_576;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const textOf = (value: Buffer): string | null => {
  try {
    return utf8.decode(value);
  } catch {
    return null;
  }
};

type Shown = { way: Way; text: string; part: number; whole: number; note: string | null };

const chosen = (
  value: Buffer,
  asked: string | undefined,
): { way: Way; text: string; note: string | null } => {
  const text = textOf(value);
  const json = text === null || value.length > MAX_JSON_BYTES ? null : prettyJson(text);
  const way =
    WAYS.find((name) => name === asked) ?? (json !== null ? "json" : text !== null ? "text" : "hex");
  if (way === "hex") return { way, text: "", note: null };
  if (way === "json" && json !== null) return { way, text: json, note: null };
  const notJson =
    way !== "json"
      ? null
      : value.length > MAX_JSON_BYTES
        ? "It is too large to be shown as JSON."
        : "It is no JSON.";
  const notText =
    text === null ? "It is not UTF-8: what cannot be read is shown as \ufffd. Hex shows the bytes." : null;
  return { way: "text", text: text ?? value.toString("utf8"), note: notJson ?? notText };
};

const partOf = (value: Buffer, asked: string | undefined, from: number): Shown => {
  const { way, text, note } = chosen(value, asked);
  if (way === "hex")
    return {
      way,
      note,
      part: HEX_PART,
      whole: value.length,
      text: hexDump(value.subarray(from, from + HEX_PART), from),
    };
  return { way, note, part: TEXT_PART, whole: text.length, text: text.slice(from, from + TEXT_PART) };
};

const offsetIn = (text: string | undefined): number => (/^\d{1,10}$/.test(text ?? "") ? Number(text) : 0);

/** A value in one of three ways, a part of it at a time. */
export const letterValue = (
  value: Buffer,
  path: string,
  query: { as: string | undefined; at: string | undefined },
): Html => {
  const from = offsetIn(query.at);
  const { way, text, part, whole, note } = partOf(value, query.as, from);
  const unit = way === "hex" ? "bytes" : "characters";
  const link = (name: string, offset: number): Html =>
    html`<a href="${withQuery(path, { as: way, at: String(offset) })}#value">${name}</a>`;
  return html`<p class="tabs">
      ${WAYS.map((name) => html`<a href="${withQuery(path, { as: name })}#value" ${name === way ? html`aria-current="true"` : ""}>${NAMES[name]}</a>`)}
      <span class="dim">${sized(value.length)}</span>
    </p>
    ${note === null ? "" : html`<p>${note}</p>`}
    ${value.length === 0 ? html`<p class="none">It is empty.</p>` : block(text, `Value as ${NAMES[way]}`)}
    ${
      whole <= part && from === 0
        ? ""
        : html`<nav class="pager" aria-label="Parts of the value">
            ${from > 0 ? link("Before", Math.max(0, from - part)) : ""}
            <span
              >${unit} ${grouped(from)} to ${grouped(Math.min(whole, from + part))} of ${grouped(whole)}</span
            >
            ${from + part < whole ? link("After", from + part) : ""}
          </nav>`
    }`;
};
