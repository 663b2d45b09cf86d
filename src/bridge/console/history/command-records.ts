import { checkFor } from "../../../commands-to-results/check.ts";
import { fromRecord } from "../../../commands-to-results/journal-rules/entry.ts";
import { readCommand } from "../../../commands-to-results/read-command.ts";
import type { Step } from "../../../console/ports.ts";
import type { Config } from "../../../config/config.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { decoder } from "../../../kafka/schema/codec.ts";
import { readSchema } from "../../../kafka/schema/schemas.ts";
import type { CommandJournalEntry, CommandResult } from "../../../records.ts";
import { commandDecoder } from "../../command-decoder.ts";
import { unwrap } from "../../dead-letter-headers.ts";
import type { Services } from "../../services.ts";
import { commandStep, journalStep, resultStep, stepOf, unreadableStep } from "./command-steps.ts";

/** A record about a command: its step, and what the search needs from it. */
export type FoundRecord = {
  step: Step;
  commandId: string;
  quoteId: string | null;
  /** Of a claim or a release. */
  attemptId: string | null;
  isFinal: boolean;
  /** The number of calls sent, from a result; 0 where there is none. */
  calls: number;
};

/** Null for a record about no command. */
export type ReadRecord = (record: Incoming) => Promise<FoundRecord | null>;

/** A reader for the records of each topic. They reject when the registry does not answer. */
export const commandRecords = (
  config: Config,
  services: Services,
): Readonly<Record<"command" | "journal" | "result" | "letter", ReadRecord>> => {
  const { registry, clock } = services;
  const decodeResult = decoder<CommandResult>(readSchema("command-result"), registry, clock.monotonic);
  const decodeEntry = decoder<CommandJournalEntry>(
    readSchema("command-journal-entry"),
    registry,
    clock.monotonic,
  );
  const { purposes, currencies } = config.partner;
  const read = readCommand({
    check: checkFor({ purposes, currencies }),
    decode: commandDecoder(services),
  });
  const nothing = { quoteId: null, attemptId: null, isFinal: false, calls: 0 };

  const resultOf = async (value: Buffer | null): Promise<CommandResult | null> => {
    const decoded = value && (await decodeResult(value));
    return decoded?.ok ? decoded.value : null;
  };
  const command: ReadRecord = async (record) => {
    const checked = await read(record.value, record.timestampMs);
    const { commandId } = checked.ok ? checked.command : checked;
    const asked =
      checked.ok && checked.command.request.type === "AcceptQuote" ? checked.command.request : null;
    const quoteId = checked.ok ? (asked?.quoteId ?? null) : checked.quoteId;
    return { ...nothing, step: commandStep(record, checked), commandId, quoteId };
  };
  const result: ReadRecord = async (record) => {
    const found = await resultOf(record.value);
    if (found === null) return null;
    const { commandId, quoteId, final: isFinal, attempts: calls } = found;
    return { ...nothing, step: resultStep(record, found), commandId, quoteId, isFinal, calls };
  };

  return {
    command,
    result,
    journal: async (record) => {
      const decoded = record.value && (await decodeEntry(record.value));
      const key = record.key?.toString("utf8") ?? "";
      // Shown even where the key is one of older rules.
      const entry = decoded?.ok ? fromRecord(decoded.value, { key, ageMs: Infinity }) : null;
      if (entry === null && decoded?.ok)
        return { ...nothing, step: unreadableStep(record), commandId: decoded.value.commandId };
      if (entry === null) return null;
      const { commandId, step, operation } = entry;
      const concluded = step.kind === "concluded" ? await resultOf(step.result) : null;
      return {
        step: journalStep(record, entry, concluded),
        commandId,
        quoteId:
          operation === "ACCEPT_QUOTE"
            ? ((step.kind === "claimed" ? step.quoteId : concluded?.quoteId) ?? key)
            : null,
        attemptId: step.kind === "claimed" || step.kind === "released" ? step.attemptId : null,
        isFinal: step.kind === "concluded" && step.outcome !== "IN_DOUBT",
        calls: concluded?.attempts ?? 0,
      };
    },
    letter: async (record) => {
      const { added, original } = unwrap(record.headers) ?? {};
      if (!added || !original) return null;
      const reason = added.get("reason") ?? "";
      const found = await (reason === "CONTRADICTING_ANSWER" ? result : command)({
        ...record,
        headers: original,
      });
      if (found === null) return null;
      const step = stepOf(record, {
        kind: "dead letter",
        title: `Dead letter: ${reason}`,
        tone: "bad",
        facts: [
          ["detail", added.get("detail") ?? null],
          ["part", added.get("part") ?? null],
          ...found.step.facts,
        ],
        payload: found.step.payload,
      });
      return { ...nothing, step, commandId: found.commandId, quoteId: found.quoteId };
    },
  };
};
