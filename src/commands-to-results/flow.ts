import { createHash } from "node:crypto";
import type { CommandResult } from "../records.ts";
import type { Checked } from "./check.ts";
import { identityOf, resultIdOf, unnamedResultId } from "./conclude.ts";
import type { Execute } from "./execute.ts";
import type { Envelope, Item, Lifeline, Place } from "./journal-rules/ports.ts";
import type { Refused } from "./refused.ts";
import { journalRef, refusedRef, requestHash, toPartnerRequest } from "./translate.ts";
import type { Command, Conclude, ErrorCode, Identity, Verdict } from "./types.ts";

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
  tracestate?: string | null | undefined;
};

/** What the flow does outside of itself. All of them resolve when what they wrote is durable. */
export type CommandPorts = {
  read: (value: Buffer | null, timestampMs: number) => Promise<Checked>;
  conclude: Conclude;
  execute: Execute;
  /** Publishes the result of a record without a commandId: the journal cannot know it. */
  answer: (result: CommandResult, envelope: Envelope) => Promise<void>;
  park: (record: CommandRecord, reason: ErrorCode, detail: string) => Promise<void>;
  now: () => number;
};

/** What became of a record. `result` is null where another result stands. */
export type Handled = { result: CommandResult | null; deadLettered: ErrorCode | null };

const REUSED = "the commandId was used before for another command";

/** Tells one refused record from another: of its content where it could be valid one day, of its bytes otherwise. */
const hashOf = (refused: Refused, { value }: CommandRecord): string =>
  refused.requestHash ??
  createHash("sha256")
    .update(value ?? "")
    .digest("hex");

/** A command that is executed, unless the guard forbids it. */
const callItem = (
  command: Command,
  receivedAt: number,
  { traceparent, tracestate }: CommandRecord,
): Item => ({
  identity: identityOf(command),
  ref: journalRef(command),
  requestHash: requestHash(command),
  work: { kind: "call", command, request: toPartnerRequest(command) },
  receivedAt,
  envelope: { traceparent, tracestate, origin: null },
});

type Refusal = { identity: Identity; verdict: Verdict; envelope: Envelope };

/** What the result of a refused command says. Its record's place names it where the command itself does not. */
const refusalOf = (refused: Refused, record: CommandRecord): Refusal => {
  const { code, message, commandId, operation, quoteId, externalId } = refused;
  const { traceparent, tracestate } = record;
  const isNamed = code === "INVALID_COMMAND" && commandId !== "";
  const finalResultId = isNamed ? resultIdOf(commandId, true) : unnamedResultId(record);
  return {
    identity: { commandId, operation, quoteId, externalId, finalResultId },
    verdict: { outcome: "REJECTED", error: { code, message }, decidedBy: "BRIDGE", answer: null },
    envelope: { traceparent, tracestate, origin: isNamed ? null : record },
  };
};

/** A command that is refused. It goes through the journal as well: its commandId may name another command already. */
const refusedItem = (refused: Refused, receivedAt: number, record: CommandRecord): Item => {
  const { identity, envelope, verdict } = refusalOf(refused, record);
  return {
    identity,
    ref: refusedRef(refused.commandId),
    requestHash: hashOf(refused, record),
    work: { kind: "refuse", verdict },
    receivedAt,
    envelope,
  };
};

/**
 * The whole way of a command. Resolves when its offset may be committed: its result, or its dead letter, is durable. Rejects when it was
 * stopped on the way; whoever reads it again finds in the journal how far it came.
 */
export const commandsToResults =
  (ports: CommandPorts) =>
  async (record: CommandRecord, lifeline: Lifeline, place: Place): Promise<Handled> => {
    const receivedAt = ports.now();
    const checked = await ports.read(record.value, record.timestampMs);
    const unreadable = !checked.ok && checked.code === "UNREADABLE_COMMAND" ? checked : null;
    const parked = async (reason: ErrorCode, detail: string): Promise<ErrorCode> => {
      await ports.park(record, reason, detail);
      return reason;
    };
    const parkUnreadable = (): Promise<ErrorCode | null> =>
      unreadable ? parked(unreadable.code, unreadable.message) : Promise.resolve(null);

    if (!checked.ok && checked.commandId === "") {
      const { identity, envelope, verdict } = refusalOf(checked, record);
      const deadLettered = await parkUnreadable();
      const facts = { identity, receivedAt, completedAt: ports.now(), attempts: 0 };
      const result = ports.conclude(facts, verdict);
      await ports.answer(result, envelope);
      return { result, deadLettered };
    }
    const item = checked.ok
      ? callItem(checked.command, receivedAt, record)
      : refusedItem(checked, receivedAt, record);
    const settled = await ports.execute(item, lifeline, place);
    if (settled.kind === "reused")
      return { result: null, deadLettered: await parked("COMMAND_ID_REUSED", REUSED) };
    return { result: settled.result, deadLettered: await parkUnreadable() };
  };
