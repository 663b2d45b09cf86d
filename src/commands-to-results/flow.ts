import type { CommandResult } from "../records.ts";
import type { Checked, Unfit } from "./check.ts";
import { rejectedResult } from "./conclude.ts";
import type { Execute } from "./execute.ts";
import type { Lifeline, Place } from "./journal/ports.ts";
import { journalKey, requestHash, toPartnerRequest } from "./translate.ts";
import type { Command, ErrorCode } from "./types.ts";
import type { Disguised } from "./unfit.ts";

/** A record of the commands topic. */
export type CommandRecord = {
  topic: string;
  partition: number;
  offset: number;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
  /** The trace that it belongs to. */
  traceparent: string | null;
};

/** What the flow does outside of itself. All of them resolve when what they wrote is durable. */
export type CommandPorts = {
  read: (value: Buffer | null, timestampMs: number) => Promise<Checked>;
  disguise: (unfit: Unfit, value: Buffer) => Disguised | null;
  execute: Execute;
  /** Publishes the result of a command that the journal does not know. `record` is where it came from. */
  answer: (result: CommandResult, record: CommandRecord) => Promise<void>;
  park: (record: CommandRecord, reason: ErrorCode, detail: string) => Promise<void>;
  now: () => number;
};

/** What became of a record. `result` is null where another result stands. */
export type Handled = { result: CommandResult | null; deadLettered: ErrorCode | null };

const REUSED = "the commandId was used before with other content";

/**
 * The whole way of a command. Resolves when its offset may be committed: its result, or its dead letter, is durable. Rejects when it was
 * stopped on the way; whoever reads it again finds in the journal how far it came.
 */
export const commandsToResults =
  (ports: CommandPorts) =>
  async (record: CommandRecord, lifeline: Lifeline, place: Place): Promise<Handled> => {
    const receivedAt = ports.now();

    const executed = async (command: Command, hash: string): Promise<Handled> => {
      const request = toPartnerRequest(command);
      const { traceparent } = record;
      const item = { command, key: journalKey(command), requestHash: hash, request, receivedAt, traceparent };
      const settled = await ports.execute(item, lifeline, place);
      if (settled.kind === "answered") return { result: settled.result, deadLettered: null };
      await ports.park(record, "COMMAND_ID_REUSED", REUSED);
      return { result: null, deadLettered: "COMMAND_ID_REUSED" };
    };
    const answered = async (unfit: Unfit): Promise<CommandResult> => {
      const coordinates = { topic: record.topic, partition: record.partition, offset: String(record.offset) };
      const result = rejectedResult(unfit, { coordinates, receivedAt, completedAt: ports.now() });
      await ports.answer(result, record);
      return result;
    };

    const checked = await ports.read(record.value, record.timestampMs);
    if (checked.ok) return executed(checked.command, requestHash(checked.command));
    if (checked.code === "UNREADABLE_COMMAND") {
      await ports.park(record, "UNREADABLE_COMMAND", checked.message);
      return { result: await answered(checked), deadLettered: "UNREADABLE_COMMAND" };
    }
    const disguised = ports.disguise(checked, record.value ?? Buffer.alloc(0));
    if (disguised) return executed(disguised.command, disguised.contentHash);
    return { result: await answered(checked), deadLettered: null };
  };
