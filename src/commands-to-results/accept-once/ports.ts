import type { Call, PartnerRequest, CallPermit } from "../../partner/types.ts";
import type { CommandResult } from "../../records.ts";
import type { Backoff } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Command, Guard, Identity, Verdict } from "../types.ts";
import type { Entry, JournalStep, Ref } from "./entry.ts";
import type { View } from "./view.ts";

/** The journal topic, which decides who may call. */
export type Journal = {
  /** Resolves when all in-sync replicas have it. After a rejection it may appear; with EntryRefused it never will. */
  append: (ref: Ref, step: JournalStep) => Promise<RecordPosition>;
  /** Reads one entry again; null when retention has deleted it. */
  reread: (position: RecordPosition) => Promise<Entry | null>;
};

/** The Kafka record of a command without a usable commandId. */
export type Origin = { topic: string; partition: number; offset: number; key: Buffer | null };

/** What goes into the key and headers of a result's record: the trace of its command, and its origin if it has one. */
export type Envelope = {
  traceparent: string | null;
  tracestate?: string | null | undefined;
  origin: Origin | null;
};

/** Resolves when the result is durable on the results topic. `value`: its encoding. */
export type Publish = (result: CommandResult, value: Buffer, envelope: Envelope) => Promise<unknown>;

/** A conclusion that contradicts the final result that stands: only one of the two can be true. */
export type Contradiction = { ref: Ref; conclusion: CommandResult; standing: CommandResult };

/** Hooks for the log. None of them may throw. */
export type Observer = {
  takeover: (ref: Ref, attemptId: string) => void;
  /** Accepts pause ("open"), again after each trial that failed, or go on ("closed"). `pauseMs`: until the next trial. */
  breaker: (state: "open" | "closed", pauseMs: number) => void;
  retrying: (what: "append" | "reread" | "publish" | "report", error: unknown) => void;
};

export type Options = {
  /** Connect and call timeout together: no call goes on later than this after its claim was begun. */
  callWithinMs: number;
  /** The connect timeout: no call starts later than this after its claim, so that its whole call timeout is left. */
  beginWithinMs: number;
  /** Another owner's claim is taken over this long after its callWithinMs has passed. */
  takeoverMarginMs: number;
  /** How long a command is tried, from when this replica took it up. */
  deadlineMs: number;
  breakerFailures: number;
  breakerPauseMs: number;
  pauseOnDoubt: boolean;
  /** Between calls that were not executed, and between failed writes. */
  backoff: Backoff;
};

export type Deps = {
  clock: Clock;
  view: View;
  journal: Journal;
  permit: () => CallPermit;
  call: Call;
  publish: Publish;
  /** Encodes values of the results topic. Decoding throws while the schema of an older result is being fetched. */
  codec: { encode: (result: CommandResult) => Buffer; decode: (value: Buffer) => CommandResult };
  /** Writes the contradicting result as a dead letter. */
  contradiction: (contradiction: Contradiction) => Promise<void>;
  guard: Guard;
  /** Whether the group's last heartbeat is young enough. Asked right before the request is written. */
  mayStart: () => boolean;
  acceptsPaused: () => boolean;
  random: () => number;
  newId: () => string;
  observer: Observer;
  options: Options;
  /** Wraps these ports so that they add spans to the trace of the command; absent where nothing is traced. */
  traced?: ((envelope: Envelope) => Pick<Deps, "call" | "journal">) | undefined;
};

export type PreparedCommand = {
  identity: Identity;
  ref: Ref;
  requestHash: string;
  work: { kind: "call"; command: Command; request: PartnerRequest } | { kind: "refuse"; verdict: Verdict };
  receivedAt: number;
  envelope: Envelope;
};

export type StopSignals = {
  /** Nothing new is started: the partition was revoked, or the process drains. Claims without a call are released. */
  stop: AbortSignal;
  /** The drain ends soon: open calls are cut off and concluded with what is known of them. */
  cut: AbortSignal;
  /** The drain has ended: nothing is written any more. */
  abandon: AbortSignal;
};

export type Slot = {
  isHeld: () => boolean;
  leave: () => void;
  take: (signal: AbortSignal) => Promise<void>;
};

/** `reused`: the commandId belongs to an earlier, different command. Write the dead letter, then commit the offset. */
export type Settled = CommandResult | "reused";
