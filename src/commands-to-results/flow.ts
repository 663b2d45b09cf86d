import { createHash } from "node:crypto";
import type { CommandResult } from "../records.ts";
import { wakeOrAbort } from "../runtime/wake-or-abort.ts";
import type { Checked } from "./check.ts";
import { identityOf, resultIdOf, unnamedResultId } from "./build-result.ts";
import type { Execute } from "./accept-once/execute.ts";
import type { Envelope, PreparedCommand, StopSignals, Slot } from "./accept-once/ports.ts";
import type { Refused } from "./refused.ts";
import { journalRef, refusedRef, requestHash, toPartnerRequest } from "./translate.ts";
import type { Command, BuildResult, ErrorCode, Identity, Verdict } from "./types.ts";

/** A record of the commands topic. */
export type CommandRecord = {
  topic: string;
  partition: number;
  offset: number;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
  /** The W3C trace context it came with. */
  traceparent: string | null;
  tracestate?: string | null | undefined;
};

/** The effects of the flow. Each resolves once what it wrote is durable. */
export type CommandPorts = {
  /** A promise while the schema is asked for, which may take half a minute. */
  read: (value: Buffer | null, timestampMs: number) => Checked | Promise<Checked>;
  buildResult: BuildResult;
  execute: Execute;
  /** Publishes the result of a record without a commandId, which has no entry in the journal. */
  publishUnjournaled: (result: CommandResult, envelope: Envelope) => Promise<void>;
  /** Writes a dead letter. */
  park: (record: CommandRecord, reason: ErrorCode, detail: string) => Promise<void>;
  now: () => number;
};

export type Handled = {
  of: Pick<Identity, "commandId" | "operation">;
  /** Null when the commandId belongs to another command, whose result stands. */
  result: CommandResult | null;
  deadLettered: ErrorCode | null;
};

const REUSED = "the commandId was used before for another command";

/**
 * Distinguishes refused commands under one commandId. By content if only a list of allowed values refuses the
 * command (a changed setting may make it valid), else by the bytes.
 */
const hashOf = (refused: Refused, { value }: CommandRecord): string =>
  refused.requestHash ??
  createHash("sha256")
    .update(value ?? "")
    .digest("hex");

const preparedCall = (
  command: Command,
  receivedAt: number,
  { traceparent, tracestate }: CommandRecord,
): PreparedCommand => ({
  identity: identityOf(command),
  ref: journalRef(command),
  requestHash: requestHash(command),
  work: { kind: "call", command, request: toPartnerRequest(command) },
  receivedAt,
  envelope: { traceparent, tracestate, origin: null },
});

type Refusal = { identity: Identity; verdict: Verdict; envelope: Envelope };

/**
 * The result of a refused command. Without a usable commandId its resultId comes from the record's position.
 */
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

/** Refused commands go through the journal too: their commandId may already belong to another command. */
const preparedRefusal = (refused: Refused, receivedAt: number, record: CommandRecord): PreparedCommand => {
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

/** Each takes 6 KB. With more of them, the next ones keep their slots, and stop the others for a while. */
const MAX_WITHOUT_SLOT = 4_000;

/** Makes waits without a slot, so that commands of other keys go on. */
const waitsWithoutSlot = () => {
  let waiting = 0;
  return async <T>(pending: Promise<T>, { stop }: StopSignals, slot: Slot): Promise<T> => {
    if (waiting < MAX_WITHOUT_SLOT) slot.leave();
    waiting += 1;
    await wakeOrAbort(stop, (wake) => {
      pending.then(wake, wake);
      return () => undefined;
    }).finally(() => (waiting -= 1));
    await slot.take(stop);
    return pending;
  };
};

/**
 * The whole path of a command. Resolves when its result or dead letter is durable and the offset may be
 * committed. Rejects when stopped; the replica that reads the command again finds in the journal how far it
 * came.
 */
export const commandsToResults = (ports: CommandPorts) => {
  const withoutSlot = waitsWithoutSlot();
  return async (record: CommandRecord, signals: StopSignals, slot: Slot): Promise<Handled> => {
    const receivedAt = ports.now();
    const reading = ports.read(record.value, record.timestampMs);
    const checked = reading instanceof Promise ? await withoutSlot(reading, signals, slot) : reading;
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
      const result = ports.buildResult(facts, verdict);
      await ports.publishUnjournaled(result, envelope);
      return { of: identity, result, deadLettered };
    }
    const prepared = checked.ok
      ? preparedCall(checked.command, receivedAt, record)
      : preparedRefusal(checked, receivedAt, record);
    const settled = await ports.execute(prepared, signals, slot);
    const of = prepared.identity;
    if (settled.kind === "reused")
      return { of, result: null, deadLettered: await parked("COMMAND_ID_REUSED", REUSED) };
    return { of, result: settled.result, deadLettered: await parkUnreadable() };
  };
};
