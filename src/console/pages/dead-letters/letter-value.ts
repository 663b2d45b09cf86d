import { isUtf8 } from "node:buffer";
import { hexDump } from "../../../runtime/hex-dump.ts";
import { prettyJson } from "../../../runtime/pretty-json.ts";
import { html, type Html } from "../../html/markup.ts";
import { withQuery } from "../../html/paths.ts";
import { block, formatCount, formatBytes } from "../../html/text.ts";

const WAYS = ["text", "json", "hex"] as const;
type Way = (typeof WAYS)[number];
const NAMES: Readonly<Record<Way, string>> = { text: "Text", json: "JSON", hex: "Hex" };

/** Shown on one page; a longer value has several. Hex takes four times the room. */
const TEXT_PART = 32_768;
const HEX_PART = 8_192;
const MAX_JSON_BYTES = 65_536;

/** A part of the value as shown. `whole`: the length of all of it; null where it is not known. */
type Shown = {
  way: Way;
  text: string;
  part: number;
  whole: number | null;
  isMore: boolean;
  note: string | null;
};

const hexOf = (value: Buffer, from: number): Shown => ({
  way: "hex",
  note: null,
  part: HEX_PART,
  whole: value.length,
  isMore: from + HEX_PART < value.length,
  text: hexDump(value.subarray(from, from + HEX_PART), from).join("\n"),
});

const jsonOf = (value: Buffer, text: string | null, from: number): Shown | null => {
  const json = text === null || value.length > MAX_JSON_BYTES ? null : prettyJson(text, from, TEXT_PART);
  if (json === null) return null;
  const { whole, text: shown } = json;
  const isMore = whole === null || from + TEXT_PART < whole;
  return { way: "json", note: null, part: TEXT_PART, whole, isMore, text: shown };
};

const partOf = (value: Buffer, asked: string | undefined, from: number): Shown => {
  const way = WAYS.find((name) => name === asked);
  if (way === "hex") return hexOf(value, from);
  const text = isUtf8(value) ? value.toString("utf8") : null;
  const json = way === "text" ? null : jsonOf(value, text, from);
  if (json !== null) return json;
  if (way === undefined && text === null) return hexOf(value, from);
  const notJson =
    way !== "json"
      ? null
      : value.length > MAX_JSON_BYTES
        ? "It is too large to be shown as JSON."
        : "It is not JSON.";
  const notText =
    text === null ? "It is not UTF-8: what cannot be read is shown as \ufffd. Hex shows the bytes." : null;
  const all = text ?? value.toString("utf8");
  return {
    way: "text",
    note: notJson ?? notText,
    part: TEXT_PART,
    whole: all.length,
    isMore: from + TEXT_PART < all.length,
    text: all.slice(from, from + TEXT_PART),
  };
};

const offsetIn = (text: string | undefined): number => (/^\d{1,10}$/.test(text ?? "") ? Number(text) : 0);

/** The value as text, JSON or hex, one part at a time. */
export const letterValue = (
  value: Buffer,
  path: string,
  query: { as: string | undefined; at: string | undefined },
): Html => {
  const from = offsetIn(query.at);
  const { way, text, part, whole, isMore, note } = partOf(value, query.as, from);
  const unit = way === "hex" ? "bytes" : "characters";
  const link = (name: string, offset: number): Html =>
    html`<a href="${withQuery(path, { as: way, at: String(offset) })}#value">${name}</a>`;
  return html`<p class="tabs">
      ${WAYS.map((name) => html`<a href="${withQuery(path, { as: name })}#value" ${name === way ? html`aria-current="true"` : ""}>${NAMES[name]}</a>`)}
      <span class="dim">${formatBytes(value.length)}</span>
    </p>
    ${note === null ? "" : html`<p>${note}</p>`}
    ${value.length === 0 ? html`<p class="none">It is empty.</p>` : block(text, `Value as ${NAMES[way]}`)}
    ${
      !isMore && from === 0
        ? ""
        : html`<nav class="pager" aria-label="Parts of the value">
            ${from > 0 ? link("Before", Math.max(0, from - part)) : ""}
            <span
              >${unit} ${formatCount(from)} to ${formatCount(Math.min(whole ?? Infinity, from + part))}
              ${whole === null ? "" : `of ${formatCount(whole)}`}</span
            >
            ${isMore ? link("After", from + part) : ""}
          </nav>`
    }`;
};
