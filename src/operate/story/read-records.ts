import { commandReader } from "../../commands-to-results/wire/read.ts";
import { unwrap } from "../../dead-letters/headers.ts";
import { readJournalRecord, type JournalStep } from "../../commands-to-results/accept-once/entry.ts";
import type { Incoming } from "../../kafka/record.ts";
import type { CommandJournalEntry, CommandResult, TransactionStatusUpdated } from "../../records.ts";
import { parseBody } from "../../notification/notification.ts";
import { readAuditEntry, textOrEmpty } from "../audit/entry.ts";
import { valueReader } from "../read-topic.ts";
import type { Tools } from "../tools.ts";
import { storyRecord, type StoryRecord, type StoryStep, type Telling } from "./step.ts";

/** Resolves with null for a record that cannot be read. Rejects when the registry does not answer. */
export type ReadRecord = (record: Incoming) => Promise<StoryRecord | null>;
type Kind = "command" | "journal" | "result" | "event" | "letter" | "action";

const TONES = { SUCCEEDED: "good", REJECTED: "bad", FAILED: "bad", IN_DOUBT: "wait" } as const;
const TONE_OF_STAGE: Readonly<Record<string, StoryStep["tone"]>> = {
  COMPLETED: "good",
  ISSUE: "bad",
  CANCELED: "bad",
  REFUNDED: "bad",
};

const journalTelling = (step: JournalStep): Telling => {
  const kind = "journal";
  if (step.kind === "claimed")
    return { kind, title: "Claimed: one call may be made", tone: "wait", weight: 1 };
  if (step.kind === "released")
    return { kind, title: "Released: no call took effect, or only the journal's time was asked for" };
  if (step.kind === "published") return { kind, title: "The final result stands in the results topic" };
  const isDoubt = step.outcome === "IN_DOUBT";
  const doubt = "In doubt: nobody knows whether the partner executed it";
  const title = isDoubt ? doubt : `Concluded: ${step.outcome}`;
  return { kind, title, tone: TONES[step.outcome], weight: isDoubt ? 3 : 4 };
};

export const readersOf = (tools: Tools): Readonly<Record<Kind, ReadRecord>> => {
  const resultOf = valueReader<CommandResult>(tools, "command-result");
  const eventOf = valueReader<TransactionStatusUpdated>(tools, "transaction-status-updated");
  const entryOf = valueReader<CommandJournalEntry>(tools, "command-journal-entry");
  const read = commandReader(tools);

  const command: ReadRecord = async (record) => {
    const kind = "command";
    const checked = await read(record.value, record.timestampMs);
    if (!checked.ok) {
      const { identity, code, message } = checked;
      const title = "Command that breaks a rule";
      return storyRecord(record, { ...identity, code, message }, { kind, title, tone: "bad" });
    }
    const { request, ...rest } = checked.command;
    const title = request.type === "AcceptQuote" ? "Command: accept a quote" : "Command: create a quote";
    return storyRecord(record, { ...rest, ...request }, { kind, title });
  };
  const result: ReadRecord = async (record) => {
    const decoded = await resultOf(record.value);
    if (decoded === null) return null;
    const { final, outcome, response: payload, error } = decoded;
    const title = `Result: ${outcome}${final ? "" : ", one final result may follow"}`;
    const telling = { kind: "result", title, tone: TONES[outcome], payload, weight: final ? 5 : 3 } as const;
    return storyRecord(record, { ...decoded, ...error }, telling);
  };
  return {
    command,
    result,
    journal: async (record) => {
      const decoded = await entryOf(record.value);
      const key = record.key?.toString("utf8") ?? "";
      // An entry is shown even if its key was made by older rules.
      const entry = decoded && readJournalRecord(decoded, { key, ageMs: Infinity });
      if (!entry) return null;
      const { commandId, step, operation } = entry;
      const concluded = step.kind === "concluded" ? await resultOf(step.result) : null;
      const quoteId = operation === "ACCEPT_QUOTE" ? key : concluded?.quoteId;
      const values = { externalId: concluded?.externalId, ...step, commandId, quoteId };
      return storyRecord(record, values, journalTelling(step));
    },
    event: async (record) => {
      const event = await eventOf(record.value);
      if (event === null) return null;
      const { status, stage, outOfOrder, payload } = event;
      const title = `${status} (${stage})${outOfOrder ? ", out of order" : ""}`;
      const tone = TONE_OF_STAGE[stage] ?? "plain";
      return storyRecord(record, event, { kind: "event", title, tone, payload });
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
        return storyRecord(record, { ...(body.ok && body.notification), ...detail }, telling);
      }
      const inside = reason === "CONTRADICTING_ANSWER" ? result : command;
      const inner = await inside({ ...record, headers: original });
      const values: Record<string, string> = Object.fromEntries(inner?.step.facts ?? []);
      return storyRecord(record, { ...values, ...detail }, telling);
    },
    action: (record) => {
      const entry = readAuditEntry(record);
      if (entry?.action !== "resolve") return Promise.resolve(null);
      const { subject: commandId, by, note, parameters, outcome } = entry;
      const title = outcome
        ? `What came of it: ${textOrEmpty(outcome["kind"])}`
        : `${by} says: ${textOrEmpty(parameters["as"])}`;
      const values = { commandId, note, reason: textOrEmpty(outcome?.["reason"]) };
      return Promise.resolve(storyRecord(record, values, { kind: "action", title }));
    },
  };
};
