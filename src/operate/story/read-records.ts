import { commandReader } from "../../commands-to-results/wire/read.ts";
import { unwrap } from "../../dead-letters/headers.ts";
import { readJournalRecord, type JournalStep } from "../../commands-to-results/accept-once/entry.ts";
import type { Incoming } from "../../kafka/record.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandJournalEntry, CommandResult, TransactionStatusUpdated } from "../../records.ts";
import { parseBody } from "../../notification/notification.ts";
import { readAuditEntry, textOrEmpty } from "../audit/entry.ts";
import type { ToolServices } from "../tool-services.ts";
import { foundRecord, type Found, type StoryStep, type Telling } from "./step.ts";

/** Null for a record that cannot be read. Rejects when the registry does not answer. */
export type ReadRecord = (record: Incoming) => Promise<Found | null>;
type Kind = "command" | "journal" | "result" | "event" | "letter" | "action";

const TONES = { SUCCEEDED: "good", REJECTED: "bad", FAILED: "bad", IN_DOUBT: "wait" } as const;
const TONE_OF_STAGE: Readonly<Record<string, StoryStep["tone"]>> = {
  COMPLETED: "good",
  ISSUE: "bad",
  CANCELED: "bad",
  REFUNDED: "bad",
};

const resultFound = (record: Incoming, result: CommandResult): Found => {
  const title = `Result: ${result.outcome}${result.final ? "" : ", one final result may follow"}`;
  const { final, outcome, response: payload, error } = result;
  const telling = { kind: "result", title, tone: TONES[outcome], payload, weight: final ? 5 : 3 } as const;
  return foundRecord(record, { ...result, ...error }, telling);
};

const journalTold = (step: JournalStep): Omit<Telling, "kind"> => {
  if (step.kind !== "concluded") {
    const titles = {
      claimed: "Claimed: one call may be made",
      released: "Released: the call was not made or did nothing, or the journal's time was asked for",
      published: "The final result stands in the results topic",
    };
    const isClaim = step.kind === "claimed";
    return {
      title: titles[step.kind],
      isMachinery: true,
      tone: isClaim ? "wait" : "plain",
      weight: isClaim ? 1 : 0,
    };
  }
  const { outcome, note } = step;
  const isDoubt = outcome === "IN_DOUBT";
  const title = isDoubt ? "In doubt: nobody knows whether the partner executed it" : `Concluded: ${outcome}`;
  // The result says the same, but for a decision's note.
  return { title, tone: TONES[outcome], isMachinery: !isDoubt && note === null, weight: isDoubt ? 3 : 4 };
};

/** What the records of each topic say. */
export const readersOf = (services: ToolServices): Readonly<Record<Kind, ReadRecord>> => {
  const decoderOf = <T>(name: Parameters<typeof readSchema>[0]) => {
    const decode = decoder<T>(readSchema(name), services);
    return async (value: Buffer | null): Promise<T | null> => {
      const decoded = value && (await decode(value));
      return decoded?.ok ? decoded.value : null;
    };
  };
  const resultOf = decoderOf<CommandResult>("command-result");
  const eventOf = decoderOf<TransactionStatusUpdated>("transaction-status-updated");
  const entryOf = decoderOf<CommandJournalEntry>("command-journal-entry");
  const read = commandReader(services);

  const command: ReadRecord = async (record) => {
    const checked = await read(record.value, record.timestampMs);
    if (!checked.ok)
      return foundRecord(
        record,
        { ...checked.identity, code: checked.code, message: checked.message },
        { kind: "command", title: "Command that breaks a rule", tone: "bad" },
      );
    const { request, ...rest } = checked.command;
    const title = request.type === "AcceptQuote" ? "Command: accept a quote" : "Command: create a quote";
    return foundRecord(record, { ...rest, ...request }, { kind: "command", title });
  };
  const result: ReadRecord = async (record) => {
    const read = await resultOf(record.value);
    return read && resultFound(record, read);
  };
  return {
    command,
    result,
    journal: async (record) => {
      const decoded = await entryOf(record.value);
      const key = record.key?.toString("utf8") ?? "";
      // Shown even where the key is one of older rules.
      const entry = decoded && readJournalRecord(decoded, { key, ageMs: Infinity });
      if (!entry) return null;
      const { commandId, step, operation } = entry;
      const concluded = step.kind === "concluded" ? await resultOf(step.result) : null;
      const quoteId = operation === "ACCEPT_QUOTE" ? key : concluded?.quoteId;
      const values = { externalId: concluded?.externalId, ...step, commandId, quoteId };
      return foundRecord(record, values, { kind: "journal", ...journalTold(step) });
    },
    event: async (record) => {
      const event = await eventOf(record.value);
      if (event === null) return null;
      const { status, stage, outOfOrder, payload } = event;
      const title = `${status} (${stage})${outOfOrder ? ", out of order" : ""}`;
      return foundRecord(record, event, {
        kind: "event",
        title,
        tone: TONE_OF_STAGE[stage] ?? "plain",
        payload,
      });
    },
    letter: async (record) => {
      const { added, original } = unwrap(record.headers) ?? {};
      if (!added || !original) return null;
      const reason = added.get("reason") ?? "";
      const title = `Dead letter: ${reason}`;
      const telling = { kind: "dead letter", title, tone: "bad", weight: 2 } as const;
      const detail = { detail: added.get("detail") };
      if (added.has("received-at")) {
        const body = parseBody(record.value ?? Buffer.alloc(0));
        return foundRecord(record, { ...(body.ok && body.notification), ...detail }, telling);
      }
      const inside = reason === "CONTRADICTING_ANSWER" ? result : command;
      const inner = await inside({ ...record, headers: original });
      const values: Record<string, string> = Object.fromEntries(inner?.step.facts ?? []);
      return foundRecord(record, { ...values, ...detail }, telling);
    },
    action: (record) => {
      const entry = readAuditEntry(record.value);
      if (entry?.action !== "resolve") return Promise.resolve(null);
      const { subject: commandId, by, note, parameters, outcome } = entry;
      const kind = textOrEmpty(outcome?.["kind"]);
      const title =
        outcome === null ? `${by} says: ${textOrEmpty(parameters["as"])}` : `What came of it: ${kind}`;
      const values = { commandId, note, reason: textOrEmpty(outcome?.["reason"]) };
      return Promise.resolve(
        foundRecord(record, values, { kind: "action", title, isMachinery: kind === "done" }),
      );
    },
  };
};
