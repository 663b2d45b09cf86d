import { readLogEntry } from "../log-to-events/read-entry.ts";
import { SeveralArrays, splitAnswer, type EntryText } from "../log-to-events/split-answer.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import type { Tools } from "./tools.ts";

type Write = (bytes: Uint8Array) => Promise<void>;
type Warn = (sentence: string) => void;

/** Writes an answer of the notification log as it is read. Resolves with what is wrong with it, as text, or null. */
type PartnerLogView = (answer: { body: AsyncIterable<Uint8Array> }, write: Write) => Promise<string | null>;

const STRING_OR_SPACE = /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g;
/** Removes the white space between the tokens of a JSON text: it then stands on one line. */
const compactJson = (json: string): string => json.replace(STRING_OR_SPACE, "$1");

const MAX_ENTRY_BYTES = 1_048_576;

const raw: PartnerLogView = async ({ body }, write) => {
  for await (const bytes of body) await write(bytes);
  return null;
};

const eachEntry =
  (config: Tools["config"], warn: Warn, lineOf: (entry: string) => string): PartnerLogView =>
  async ({ body }, write) => {
    const form = { ...config.partner, maxEntryBytes: MAX_ENTRY_BYTES, takesAll: true };
    let lines = "";
    let hidden = 0;
    const take = ({ text: entry }: EntryText): void => {
      if (entry === null) hidden += 1;
      else lines += `${escapeInvisible(lineOf(entry))}\n`;
    };
    /** Backpressure: reads on only when the lines so far are written. */
    const flush = async (): Promise<void> => {
      const ready = lines;
      lines = "";
      if (ready !== "") await write(Buffer.from(ready));
    };
    const { hasArray, arrays, fault } = await splitAnswer(body, form, take, flush);
    if (arrays > 1) warn(`Warning: ${new SeveralArrays().message} to the one with the entries.`);
    if (fault !== null) return fault;
    if (hidden > 0)
      return `holds ${hidden} entries that are larger than 1 MiB or no UTF-8, and are not shown`;
    return hasArray ? null : "holds no array of entries";
  };

const readable = (entryText: string, { partner }: Tools["config"]): string => {
  const entry = readLogEntry(entryText, partner);
  if (entry.kind !== "notification") {
    const why = entry.kind === "otherType" ? "another event" : entry.detail;
    return `(${why})  ${compactJson(entryText)}`;
  }
  const { createdAt, transactionId, status } = entry.notification;
  return [createdAt, transactionId, status].join("  ");
};

/** The output formats of `logs`; `entries` is for people. Only `raw` writes what a terminal would obey. */
export const partnerLogViews = (config: Tools["config"], warn: Warn) => ({
  raw,
  json: eachEntry(config, warn, compactJson),
  entries: eachEntry(config, warn, (entry) => readable(entry, config)),
});
