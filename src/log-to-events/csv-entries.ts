import { yieldToEventLoop } from "../runtime/event-loop.ts";
import type { EntriesSink } from "./json-entries.ts";
import type { JsonFault } from "./json-stream.ts";
import type { AnswerHeaders } from "./pagination-hints.ts";
import { fieldOf } from "./read-entry.ts";

const CSV_TYPES = /^text\/(csv|tab-separated-values)\b/i;

/** Whether the content type says comma- or tab-separated values. */
export const isCsv = (headers: AnswerHeaders): boolean =>
  CSV_TYPES.test([headers["content-type"]].flat().join());

/**
 * Whether the end of the body can be told from a lost connection: by its length, by its last chunk, or by the
 * end of its compression, which decompressing checks.
 */
const isFramed = (headers: AnswerHeaders): boolean => {
  const of = (name: string): string => [headers[name]].flat().join();
  return (
    of("content-length") !== "" ||
    /(^|[,\s])chunked\s*$/i.test(of("transfer-encoding")) ||
    of("content-encoding").replace(/identity|[,\s]/gi, "") !== ""
  );
};

const SEPARATORS = [";", ",", "\t", "|"];
/** The event loop runs after each piece, as for JSON. */
const PIECE_BYTES = 4_096;
const MAX_FIELDS = 1_000;
/** No rule takes it for an entry. */
const NO_ENTRY = '""';

/** The separator that occurs most often in the header line. */
const separatorOf = (header: string): string =>
  SEPARATORS.map((separator) => ({ separator, count: header.split(separator).length })).reduce(
    (best, other) => (other.count > best.count ? other : best),
  ).separator;

/**
 * The fields of a line; quoted ones may hold separators and doubled quotes (RFC 4180). Null for misplaced
 * quotes.
 */
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

/** Rows under two columns for one field of the notification are not understood: either may be meant. */
const isAmbiguous = (names: readonly string[]): boolean =>
  names.some((name, index) => fieldOf(name) !== undefined && names.indexOf(name) !== index);

/** Turns each line after the header into the text of a JSON object. */
const lineReader = (onRow: (json: string) => void) => {
  let names: string[] | null = null;
  let separator = "";
  let hasTwice = false;
  let rows = 0;
  return {
    line: (line: string) => {
      if (line.trim() === "") return;
      if (names === null) {
        separator = separatorOf(line);
        names = (fieldsOf(line, separator) ?? []).slice(0, MAX_FIELDS).map((name) => name.trim());
        hasTwice = isAmbiguous(names);
        return;
      }
      rows += 1;
      const fields = fieldsOf(line, separator) ?? [];
      if (fields.length === names.length && !hasTwice)
        onRow(JSON.stringify(Object.fromEntries(names.map((name, index) => [name, fields[index]]))));
      else onRow(NO_ENTRY);
    },
    /** Hands on the header line if it seems to be a row: names no transactionId, and is alone or holds JSON. */
    end: () => {
      if (names === null || names.some((name) => fieldOf(name) === "transactionId")) return;
      if (rows === 0 || names.some((name) => name.startsWith("{"))) onRow(NO_ENTRY);
    },
    hasNames: () => names !== null,
  };
};

/**
 * Reads CSV with a header line as a stream, and hands each row to the sink as the text of a JSON object. What
 * is not understood becomes `""`: a row with too few or too many fields, every row where two columns of the
 * notification have one name, and a header line that seems to be a row. Line ends within quotes are not
 * supported. In an answer whose end is only that of the connection, a last line without an end may be half a
 * row: it is left out, and the answer is "unframed".
 */
export const readCsvEntries = async (
  body: AsyncIterable<Uint8Array>,
  { headers, maxElementBytes }: { headers: AnswerHeaders; maxElementBytes: number },
  sink: Pick<EntriesSink, "element" | "arrayEnd">,
): Promise<JsonFault | null> => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const { line: read, end: endLines, hasNames } = lineReader(sink.element);
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
  const framed = isFramed(headers);
  if (framed) read(rest + end);
  endLines();
  if (hasNames()) sink.arrayEnd("", 0);
  else if (framed) return "empty";
  return framed ? null : "unframed";
};
