import { yieldToEventLoop } from "../runtime/event-loop.ts";
import type { EntriesSink } from "./entries.ts";
import type { JsonFault } from "./json-stream.ts";
import type { AnswerHeaders } from "./more.ts";

const SEPARATED_VALUES = /^text\/(csv|tab-separated-values)\b/i;

export const isOfRows = (headers: AnswerHeaders): boolean =>
  SEPARATED_VALUES.test([headers["content-type"]].flat().join());

const SEPARATORS = [";", ",", "\t", "|"];
/** Like a piece of JSON: what is read without another turn of the event loop. */
const PIECE_BYTES = 4_096;
const MAX_FIELDS = 1_000;

/** The separator that the line with the names has most of. */
const separatorOf = (names: string): string =>
  SEPARATORS.map((separator) => ({ separator, count: names.split(separator).length })).reduce(
    (best, other) => (other.count > best.count ? other : best),
  ).separator;

/** Quoted fields may hold separators and doubled quotes (RFC 4180). Null for a quote that does not end, or ends within the field. */
const fieldsOf = (line: string, separator: string): string[] | null => {
  const fields: string[] = [];
  for (let at = 0; ;) {
    const quoted = line[at] === '"';
    let end = quoted ? at + 1 : line.indexOf(separator, at);
    if (quoted) {
      while (end < line.length && !(line[end] === '"' && line[end + 1] !== '"'))
        end += line[end] === '"' ? 2 : 1;
      if (end >= line.length) return null;
      fields.push(line.slice(at + 1, end++).replaceAll('""', '"'));
      if (end < line.length && line[end] !== separator) return null;
    } else {
      if (end < 0) end = line.length;
      fields.push(line.slice(at, end));
    }
    if (end >= line.length) return fields;
    at = end + 1;
  }
};

/** Tells each line but the first, which holds the names, as the text of a JSON object. */
const lineReader = (tell: (row: string) => void) => {
  let names: string[] | null = null;
  let separator = "";
  return {
    line: (line: string) => {
      if (line.trim() === "") return;
      if (names === null) {
        separator = separatorOf(line);
        names = (fieldsOf(line, separator) ?? []).slice(0, MAX_FIELDS).map((name) => name.trim());
        return;
      }
      const fields = fieldsOf(line, separator) ?? [];
      if (fields.length === names.length)
        tell(JSON.stringify(Object.fromEntries(names.map((name, index) => [name, fields[index]]))));
      else tell('""');
    },
    hasNames: () => names !== null,
  };
};

/**
 * Reads separated values with names in the first line (CSV) and tells each row as the text of a JSON object. A row with too few or too many fields is
 * told as what no entry can be: an empty string. Line ends within quotes are not understood.
 */
export const readRows = async (
  body: AsyncIterable<Uint8Array>,
  maxElementBytes: number,
  sink: Pick<EntriesSink, "element" | "arrayEnd">,
): Promise<JsonFault | null> => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const { line: read, hasNames } = lineReader(sink.element);
  let rest = "";
  const decode = (bytes?: Uint8Array): string | null => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      return null;
    }
  };

  for await (const chunk of body)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const text = decode(chunk.subarray(at, at + PIECE_BYTES));
      if (text === null) return "invalid";
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? "";
      if (rest.length > maxElementBytes) return "endless";
      for (const line of lines) read(line);
      await yieldToEventLoop();
    }
  const end = decode();
  if (end === null) return "invalid";
  read(rest + end);
  if (!hasNames()) return "empty";
  sink.arrayEnd("");
  return null;
};
