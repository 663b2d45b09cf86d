import type { Config } from "../config/config.ts";
import { readJsonEntries, type EntriesSink } from "../log-to-events/json-entries.ts";
import { readEntry } from "../log-to-events/read-entry.ts";
import { JSON_FAULTS, type JsonFault } from "../log-to-events/json-stream.ts";
import { compactJson } from "../log-to-events/compact-json.ts";
import { isCsv, readCsvEntries } from "../log-to-events/csv-entries.ts";
import { readShape } from "../log-to-events/answer-shape.ts";
import type { LogAnswer } from "../partner/types.ts";
import { escapeInvisible, escapeInvisibleLines } from "../runtime/invisible.ts";

type Answer = Pick<LogAnswer, "headers" | "body">;
type Write = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes an answer of the notification log as it is read. Resolves with what is wrong with it, as text, or
 * null.
 */
export type PartnerLogView = (answer: Answer, write: Write) => Promise<string | null>;

/** Larger entries are not shown. */
const MAX_ENTRY_BYTES = 1_048_576;

const faultOf = (fault: JsonFault | null): string | null => (fault === null ? null : JSON_FAULTS[fault]);

const raw: PartnerLogView = async ({ body }, write) => {
  for await (const bytes of body) await write(bytes);
  return null;
};

/** Prints what is known from an answer that breaks off, too. */
const shape: PartnerLogView = async ({ headers, body }, write) => {
  const broken: { by?: unknown } = {};
  async function* untilItFails(): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      broken.by = error;
    }
  }
  const { lines, fault } = await readShape(untilItFails(), headers, MAX_ENTRY_BYTES);
  await write(Buffer.from(lines.map((line) => `${escapeInvisible(line)}\n`).join("")));
  if ("by" in broken) throw broken.by;
  return faultOf(fault);
};

/** For the short body of a refusal. */
const text: PartnerLogView = async ({ body }, write) => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  await write(Buffer.from(escapeInvisibleLines(Buffer.concat(chunks).toString("utf8"))));
  return null;
};

/** One line per entry. */
const eachEntry =
  ({ partner }: Config, lineOf: (entry: string) => string): PartnerLogView =>
  async ({ headers, body }, write) => {
    let lines = "";
    let arrays = 0;
    let tooLarge = 0;
    const sink: EntriesSink = {
      element: (text) => {
        if (text === null) tooLarge += 1;
        else lines += `${lineOf(text)}\n`;
      },
      arrayEnd: () => (arrays += 1),
      otherArrayEnd: () => undefined,
      member: () => undefined,
    };
    const flush = async (): Promise<void> => {
      const text = lines;
      lines = "";
      if (text !== "") await write(Buffer.from(text));
    };
    /** Backpressure: reads on only when the lines so far are written. */
    async function* inStep(): AsyncGenerator<Uint8Array> {
      for await (const bytes of body) {
        yield bytes;
        await flush();
      }
    }
    const entriesPointer = partner.logEntriesPointer ?? null;
    const fault = isCsv(headers)
      ? await readCsvEntries(inStep(), { headers, maxElementBytes: MAX_ENTRY_BYTES }, sink)
      : await readJsonEntries(inStep(), { entriesPointer, maxElementBytes: MAX_ENTRY_BYTES }, sink);
    await flush();
    if (tooLarge > 0) return `holds ${tooLarge} entries that are larger than 1 MiB and are not shown`;
    return faultOf(fault) ?? (arrays === 0 ? "holds no array of entries" : null);
  };

const readable =
  ({ partner }: Config) =>
  (text: string): string => {
    const entry = readEntry(text, partner.logNotificationPointer ?? null);
    if (entry.kind !== "notification") {
      const why = entry.kind === "otherType" ? "another event type" : entry.detail;
      return `(${why})  ${compactJson(text)}`;
    }
    const { createdAt, transactionId, status } = entry.notification;
    return [createdAt, transactionId, status].join("  ");
  };

/** The output formats of `logs`; `entries` and `text` are for people. Only `raw` writes what a terminal would obey. */
export const partnerLogViews = (config: Config) => ({
  raw,
  text,
  shape,
  json: eachEntry(config, (entry) => escapeInvisible(compactJson(entry))),
  entries: eachEntry(config, (entry) => escapeInvisible(readable(config)(entry))),
});
