import type { Call, PartnerRequest, Pass } from "../../partner/types.ts";
import type { CommandResult } from "../../records.ts";
import type { Backoff } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Command, Conclude, Decide, Guard, Identity, Verdict } from "../types.ts";
import type { Entry, Position, Ref } from "./entry.ts";
import type { View } from "./view.ts";

/** The log that decides who may call. */
export type Journal = {
  /**
   * Appends an entry, acknowledged by all in-sync replicas when it resolves. When it rejects the entry may be in the log, may never be, or
   * may come into it later; with EntryRefused the log takes none of its size.
   */
  append: (key: string, entry: Entry) => Promise<Position>;
  /** Reads one entry again; null when the log does not hold it any more. */
  reread: (position: Position) => Promise<Entry | null>;
};

/** The record that a command came in, where the command cannot name itself. */
export type Origin = { topic: string; partition: number; offset: number; key: Buffer | null };

/** What the record of a result says beside the result. */
export type Envelope = {
  /** The trace that the command belongs to. */
  traceparent: string | null;
  tracestate?: string | null | undefined;
  /** Of a command that could not be read, or has no commandId: its key and place in Kafka are repeated. */
  origin: Origin | null;
};

/** Makes a result durable on the results topic. `value` are its bytes, which are the same for every repetition. */
export type Publish = (result: CommandResult, value: Buffer, envelope: Envelope) => Promise<unknown>;

/** The codec of the results topic. */
export type ResultCodec = { encode(result: CommandResult): Buffer; decode(value: Buffer): CommandResult };

/** An attempt's own end that cannot be true together with the final result that stands. */
export type Contradiction = { ref: Ref; said: CommandResult; standing: CommandResult };

/** What somebody who watches may want to know. None of these may throw. */
export type Observer = {
  /** A claim was found that its owner did not end in time. */
  takeover(ref: Ref, attemptId: string): void;
  /** Accepts pause, because of so many doubts in a row; or go on. */
  breaker(state: "open" | "closed"): void;
  /** A write to Kafka failed and is tried again. */
  retrying(what: "append" | "reread" | "publish" | "report", error: unknown): void;
};

export type Options = {
  /** Connect and call timeout together: a call is neither started nor continued later than this after its claim was begun. */
  callWithinMs: number;
  /** The connect timeout: a call is not begun later than this after its claim, so that all of the call timeout is left for its answer. */
  beginWithinMs: number;
  /** So much longer than its callWithinMs a claim of another owner is waited for. */
  takeoverMarginMs: number;
  /** How long a command is tried, from when it was taken up. */
  deadlineMs: number;
  breakerFailures: number;
  breakerPauseMs: number;
  /** Between calls that did nothing and between failed writes. */
  backoff: Backoff;
};

export type Deps = {
  clock: Clock;
  view: View;
  journal: Journal;
  pass: () => Pass;
  call: Call;
  publish: Publish;
  codec: ResultCodec;
  /** Keeps what the contradicting answer said, as a dead letter. Log and metric come from the view. */
  contradiction: (contradiction: Contradiction) => Promise<void>;
  guard: Guard;
  decide: Decide;
  conclude: Conclude;
  /** Whether the last heartbeat of the group is younger than the session timeout. Asked right before the bytes leave. */
  mayStart: () => boolean;
  random: () => number;
  /** A new identifier, unique for all time and all replicas. */
  newId: () => string;
  observer: Observer;
  options: Options;
  /** What a command does outside of itself, as a part of its trace; absent where there are no traces. */
  traced?: ((envelope: Envelope) => Pick<Deps, "call" | "journal">) | undefined;
};

/** What is to be done for a command: the partner is called, unless the guard forbids it; or the command is refused for what it says. */
export type Work =
  { kind: "call"; command: Command; request: PartnerRequest } | { kind: "refuse"; verdict: Verdict };

/** A command that was read, checked and translated. */
export type Item = {
  identity: Identity;
  /** Where it stands in the journal. */
  ref: Ref;
  requestHash: string;
  work: Work;
  /** When this replica took the command up. */
  receivedAt: number;
  envelope: Envelope;
};

/**
 * The ends of a command's life in this replica, in the order in which they come. Every command in flight listens to them: raise their limit
 * of listeners (setMaxListeners).
 */
export type Lifeline = {
  /** Nothing new is started: the partition was lost, or the process drains. A claim whose call has not left is released. */
  stop: AbortSignal;
  /** The drain is over: a call that is open is cut off and concluded with what is known of it. */
  cut: AbortSignal;
  /** Everything is given up where it stands. */
  abandon: AbortSignal;
};

/** The command's place among those that may be in flight. */
export type Place = {
  /** The command only waits now. */
  leave(): void;
  /** Waits for a place. */
  take(signal: AbortSignal): Promise<void>;
};

/** How a command ended. Its offset may be committed: at once when `answered`, after its dead letter when `reused`. */
export type Settled =
  | { kind: "answered"; result: CommandResult }
  /** The commandId names another command, which came before: COMMAND_ID_REUSED. */
  | { kind: "reused" };
