import { hash } from "node:crypto";
import type { CommandResult } from "../records.ts";
import { wakeOrAbort } from "../runtime/abort.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import { buildResult, unnamedResultId } from "./build-result.ts";
import type { Checked } from "./check.ts";
import type { Envelope, PreparedCommand, Settled, StopSignals, Slot } from "./accept-once/ports.ts";
import { journalRef, refByCommandId, requestHash, toPartnerRequest } from "./translate.ts";
import { ownVerdict, type ErrorCode, type Identity } from "./types.ts";

export type CommandRecord = RecordPosition & {
  topic: string;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
  /** The W3C trace context it came with. */
  traceparent: string | null;
  tracestate?: string | null | undefined;
};

/** The effects of the flow. Each resolves once what it wrote is durable. */
export type CommandPorts = {
  /** Returns a promise if the schema must be fetched first, which may take half a minute. */
  read: (value: Buffer | null, timestampMs: number) => Checked | Promise<Checked>;
  execute: (command: PreparedCommand, signals: StopSignals, slot: Slot) => Promise<Settled>;
  /** Publishes the result of a record without a commandId, which has no entry in the journal. */
  publish: (result: CommandResult, envelope: Envelope) => Promise<void>;
  /** Repeats an effect that fails, until it succeeds or the signal aborts. */
  retry: (effect: () => Promise<void>, signal: AbortSignal) => Promise<void>;
  park: (record: CommandRecord, reason: ErrorCode, detail: string) => Promise<void>;
  now: () => number;
};

export type Handled = {
  identity: Identity;
  /** There is none (null) if the commandId belongs to another command, whose result stands. */
  result: CommandResult | null;
  deadLettered: ErrorCode | null;
};

/** Refused commands go through the journal too: their commandId may already belong to another command. */
const prepareCommand = (checked: Checked, receivedAt: number, record: CommandRecord): PreparedCommand => {
  const { traceparent, tracestate } = record;
  const { identity } = checked;
  if (checked.ok) {
    const { command } = checked;
    const ref = journalRef(command);
    return {
      identity,
      ref,
      requestHash: requestHash(command, ref),
      work: { kind: "call", command, request: toPartnerRequest(command) },
      receivedAt,
      envelope: { traceparent, tracestate, origin: null },
    };
  }
  const { code } = checked;
  const isNamed = code === "INVALID_COMMAND" && identity.commandId !== "";
  return {
    identity: isNamed ? identity : { ...identity, resultId: unnamedResultId(record) },
    ref: refByCommandId(identity.commandId),
    // Distinguishes refused commands under one commandId: by content where it is known, else by the bytes.
    requestHash: checked.requestHash ?? hash("sha256", record.value ?? "", "hex"),
    work: { kind: "refuse", verdict: ownVerdict("REJECTED", code, checked.message) },
    receivedAt,
    envelope: { traceparent, tracestate, origin: isNamed ? null : record },
  };
};

/** Waits without a slot, so that commands of other keys go on. */
const withoutSlot = async <T>(pending: Promise<T>, { stop }: StopSignals, slot: Slot): Promise<T> => {
  slot.leave();
  await wakeOrAbort<unknown>(stop, (wake) => {
    pending.then(wake, wake);
    return () => undefined;
  });
  await slot.take(stop);
  return pending;
};

/** Resolves when the result or dead letter is durable. Rejects when stopped: the journal says how far it came. */
export const commandsToResults =
  (ports: CommandPorts) =>
  async (record: CommandRecord, signals: StopSignals, slot: Slot): Promise<Handled> => {
    const receivedAt = ports.now();
    const reading = ports.read(record.value, record.timestampMs);
    const checked = reading instanceof Promise ? await withoutSlot(reading, signals, slot) : reading;
    const park = async (code: ErrorCode, detail: string): Promise<ErrorCode> => {
      await ports.park(record, code, detail);
      return code;
    };
    const parkUnreadable = async (): Promise<ErrorCode | null> =>
      checked.ok || checked.code === "INVALID_COMMAND" ? null : park(checked.code, checked.message);

    const command = prepareCommand(checked, receivedAt, record);
    const { identity, work, envelope } = command;
    if (work.kind === "refuse" && identity.commandId === "") {
      const deadLettered = await parkUnreadable();
      const facts = { identity, receivedAt, completedAt: ports.now(), attempts: 0 };
      const result = buildResult(facts, work.verdict);
      // Only the publication is repeated: the whole path would write another dead letter each time. No slot is needed,
      // because the results topic may take nothing for hours.
      slot.leave();
      await ports.retry(() => ports.publish(result, envelope), signals.abandon);
      return { identity, result, deadLettered };
    }
    const settled = await ports.execute(command, signals, slot);
    if (settled !== "reused") return { identity, result: settled, deadLettered: await parkUnreadable() };
    const detail = "the commandId was used before for another command";
    return { identity, result: null, deadLettered: await park("COMMAND_ID_REUSED", detail) };
  };
