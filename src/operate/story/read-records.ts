import { commandDecoder } from "../../bridge/command-decoder.ts";
import { unwrap } from "../../bridge/dead-letter-headers.ts";
import { checkFor } from "../../commands-to-results/check.ts";
import { fromRecord, type Entry } from "../../commands-to-results/journal-rules/entry.ts";
import { readCommand } from "../../commands-to-results/read-command.ts";
import type { Incoming } from "../../kafka/record.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandJournalEntry, CommandResult, TransactionStatusUpdated } from "../../records.ts";
import { iso, isoOrNull } from "../../runtime/instant.ts";
import { parseBody } from "../../webhooks-to-events/parse.ts";
import { readEntry, textIn } from "../audit/entry.ts";
import type { Connections } from "../connections.ts";
import { found, type Found, type Step } from "./step.ts";

/** Null for a record that cannot be read. Rejects when the registry does not answer. */
export type ReadRecord = (record: Incoming) => Promise<Found | null>;
export type Readers = Readonly<
  Record<"command" | "journal" | "result" | "event" | "letter" | "action", ReadRecord>
>;

const TONES = { SUCCEEDED: "good", REJECTED: "bad", FAILED: "bad", IN_DOUBT: "wait" } as const;
const STAGE_TONES = new Map<string, Step["tone"]>([
  ["COMPLETED", "good"],
  ["ISSUE", "bad"],
  ["CANCELED", "bad"],
  ["REFUNDED", "bad"],
]);

const factsOf = ({ error, ...result }: CommandResult) => ({
  "HTTP status": result.httpStatus,
  error: error && `${error.code}: ${error.message}`,
  "decided by": result.decidedBy,
  "calls sent": result.attempts,
  quoteId: result.quoteId,
  externalId: result.externalId,
  "taken up at": iso(result.receivedAt),
  "decided at": iso(result.completedAt),
});

const resultFound = (record: Incoming, result: CommandResult): Found =>
  found(record, result, {
    kind: "result",
    title: `Result: ${result.outcome}${result.final ? "" : ", one final result may follow"}`,
    tone: TONES[result.outcome],
    facts: factsOf(result),
    payload: result.response,
  });

const journalTold = ({ step }: Entry, concluded: CommandResult | null) => {
  switch (step.kind) {
    case "claimed":
      return {
        title: "Claimed: one call may be made",
        facts: {
          attempt: step.attemptId,
          "the call ends within": `${step.callWithinMs} ms`,
          "calls before": step.attempts,
        },
        isMachinery: true,
      };
    case "released":
      return {
        title: "Released: the call was not made or did nothing, or the journal's time was asked for",
        facts: { attempt: step.attemptId },
        isMachinery: true,
      };
    case "published":
      return { title: "The final result stands in the results topic", isMachinery: true };
    case "concluded":
      return {
        title:
          step.outcome === "IN_DOUBT"
            ? "In doubt: nobody knows whether the partner executed it"
            : `Concluded: ${step.outcome}`,
        tone: TONES[step.outcome],
        facts: { "operator's note": step.note, ...(concluded && factsOf(concluded)) },
        // The result says the same, but for a decision's note.
        isMachinery: step.outcome !== "IN_DOUBT" && step.note === null,
      };
  }
};

/** What the records of each topic say. */
export const readersOf = ({ config, services }: Connections): Readers => {
  const { registry, clock } = services;
  const decodeResult = decoder<CommandResult>(readSchema("command-result"), registry, clock.monotonic);
  const decodeEvent = decoder<TransactionStatusUpdated>(
    readSchema("transaction-status-updated"),
    registry,
    clock.monotonic,
  );
  const decodeEntry = decoder<CommandJournalEntry>(
    readSchema("command-journal-entry"),
    registry,
    clock.monotonic,
  );
  const { purposes, currencies } = config.partner;
  const read = readCommand({ check: checkFor({ purposes, currencies }), decode: commandDecoder(services) });

  const resultOf = async (value: Buffer | null): Promise<CommandResult | null> => {
    const decoded = value && (await decodeResult(value));
    return decoded?.ok ? decoded.value : null;
  };
  const command: ReadRecord = async (record) => {
    const checked = await read(record.value, record.timestampMs);
    if (!checked.ok) {
      const { code, message } = checked;
      return found(record, checked, {
        kind: "command",
        title: "Command that breaks a rule",
        tone: "bad",
        facts: { code, message },
      });
    }
    const { commandId, issuedAt, expiresAt, request } = checked.command;
    const { type, ...fields } = request;
    const ids = type === "AcceptQuote" ? { commandId, ...fields } : { commandId };
    return found(record, ids, {
      kind: "command",
      title: type === "AcceptQuote" ? "Command: accept a quote" : "Command: create a quote",
      facts: { ...fields, "issued at": iso(issuedAt), "expires at": isoOrNull(expiresAt) },
    });
  };
  const result: ReadRecord = async (record) => {
    const read = await resultOf(record.value);
    return read && resultFound(record, read);
  };

  return {
    command,
    result,
    journal: async (record) => {
      const decoded = record.value && (await decodeEntry(record.value));
      const key = record.key?.toString("utf8") ?? "";
      // Shown even where the key is one of older rules.
      const entry = decoded?.ok ? fromRecord(decoded.value, { key, ageMs: Infinity }) : null;
      if (entry === null) return null;
      const { commandId, step, operation } = entry;
      const concluded = step.kind === "concluded" ? await resultOf(step.result) : null;
      const quoteId = operation === "ACCEPT_QUOTE" ? key : concluded?.quoteId;
      const ids = { commandId, quoteId, externalId: concluded?.externalId };
      return found(record, ids, { kind: "journal", ...journalTold(entry, concluded) });
    },
    event: async (record) => {
      const decoded = record.value && (await decodeEvent(record.value));
      if (!decoded?.ok) return null;
      const {
        transactionId,
        status,
        stage,
        direction,
        source,
        outOfOrder,
        occurredAt,
        receivedAt,
        eventId,
        payload,
      } = decoded.value;
      return found(
        record,
        { transactionId },
        {
          kind: "event",
          title: `${status} (${stage})${outOfOrder ? ", out of order" : ""}`,
          tone: STAGE_TONES.get(stage) ?? "plain",
          facts: {
            direction,
            source,
            "occurred at": isoOrNull(occurredAt),
            "received at": iso(receivedAt),
            eventId,
          },
          payload,
        },
      );
    },
    letter: async (record) => {
      const { added, original } = unwrap(record.headers) ?? {};
      if (!added || !original) return null;
      const reason = added.get("reason") ?? "";
      const told = {
        kind: "dead letter",
        title: `Dead letter: ${reason}`,
        tone: "bad",
        facts: { detail: added.get("detail"), part: added.get("part") },
      } as const;
      if (added.has("received-at")) {
        const body = parseBody(record.value ?? Buffer.alloc(0));
        return found(record, { transactionId: body.ok ? body.notification.transactionId : "" }, told);
      }
      const inside = await (reason === "CONTRADICTING_ANSWER" ? result : command)({
        ...record,
        headers: original,
      });
      return found(record, inside?.ids ?? {}, told);
    },
    action: (record) => {
      const entry = readEntry(record.value);
      if (entry?.action !== "resolve") return Promise.resolve(null);
      const { subject: commandId, by, note, parameters, outcome } = entry;
      const kind = textIn(outcome?.["kind"]);
      return Promise.resolve(
        found(
          record,
          { commandId },
          {
            kind: "action",
            title: outcome === null ? `${by} says: ${textIn(parameters["as"])}` : `What came of it: ${kind}`,
            facts: { note, reason: textIn(outcome?.["reason"]) },
            isMachinery: outcome !== null && kind === "done",
          },
        ),
      );
    },
  };
};
