import type { Actor } from "../operator/action.ts";
import type { Pausable, ControlEntry } from "../operator/control-entry.ts";
import type { DeadLetter } from "../operator/replay/dead-letter.ts";
import type { ResolveRequest, ResolveOutcome } from "../operator/resolve-outcome.ts";

/** A record's place, shown as topic[partition]@offset. */
export type Place = { topic: string; partition: number; offset: number };

/** Progress of reading topics in the background. */
export type Progress = {
  isComplete: boolean;
  /** Records read so far, and records to read in all. */
  read: number;
  total: number;
  /** Everything since this time is known; null before anything is. */
  sinceMs: number | null;
  /** Why it does not go on, as a sentence; null while it does. */
  problem: string | null;
};

/** A command in doubt, and all that the journal holds about it. */
export type Doubt = {
  commandId: string;
  operation: "CREATE_QUOTE" | "ACCEPT_QUOTE";
  quoteId: string | null;
  /** The claim of the attempt in doubt; null while it has not been read. */
  claim: { atMs: number; place: Place; callWithinMs: number } | null;
  /** When and where the journal recorded the doubt. */
  atMs: number;
  place: Place;
  /** Calls that were sent to the partner. */
  attempts: number;
  httpStatus: number | null;
  error: { code: string; message: string } | null;
  /** The beginning of the partner's last answer, secrets masked. */
  response: string | null;
  /** Since when `resolve` needs no force; null while the claim is not known. */
  resolvableAtMs: number | null;
};

export type Doubts = {
  count: number;
  oldestAtMs: number | null;
  /** Calls that may be under way: claims without a conclusion. */
  underWay: number;
  progress: Progress;
};

export type DoubtsPage = { doubts: readonly Doubt[]; count: number; progress: Progress };

/** A value for each of the last 60 minutes, the oldest first; null where it is not known. */
export type Hour = readonly (number | null)[];

export type Replica = {
  clientId: string;
  host: string;
  /** Its partitions of the commands topic. */
  partitions: readonly number[];
  /** Whether it is the leader that reconciles with the partner's log. */
  isReconciling: boolean;
};

export type Overview = {
  atMs: number;
  /** `detail`: a sentence for people; null where there is nothing to say. */
  kafka: { up: boolean; detail: string | null };
  doubts: Doubts;
  /** `newestAtMs`: null where there is none. `records`: in the topic; null while not known yet. */
  deadLetters: { records: number | null; lastHour: number | null; newestAtMs: number | null };
  /** Records per minute, by the records' timestamps. */
  rates: readonly {
    topic: string;
    of: "events" | "commands" | "results" | "dead letters";
    perMinute: Hour;
  }[];
  /** Commands that wait. `records`: null while not known yet. The hour is known since the console's start. */
  lag: {
    records: number | null;
    hour: Hour;
    partitions: readonly { partition: number; committed: number | null; end: number; lag: number }[];
  };
  /** Null while not known yet. */
  replicas: readonly Replica[] | null;
  /** The control entry of each flow, null where it has none; all of it null while not known yet. */
  pauses: Readonly<Record<Pausable, ControlEntry | null>> | null;
  /** The last run that read the partner's log completely; null where none is known. */
  lastReconcile: { completeAtMs: number } | null;
};

/** A step in the history of a command. */
export type Step = {
  atMs: number;
  place: Place;
  kind:
    "command" | "claim" | "release" | "doubt" | "conclusion" | "result" | "event" | "dead letter" | "other";
  title: string;
  tone: "good" | "wait" | "bad" | "plain";
  /** Names and values to show. */
  facts: readonly (readonly [name: string, value: string])[];
  /** The record's value as text, bounded; null for none. */
  payload: string | null;
};

/** Steps in order of time. `notes`: sentences about the search itself. */
export type CommandHistory = {
  commandId: string;
  steps: readonly Step[];
  notes: readonly string[];
  progress: Progress;
};

/** A status event of a transaction. */
export type PublishedStatus = {
  status: string;
  stage: string;
  occurredAtMs: number | null;
  receivedAtMs: number;
  source: "WEBHOOK" | "NOTIFICATION_LOG";
  outOfOrder: boolean;
  eventId: string;
  place: Place;
  payload: string;
};

/** `mainFlow`: the usual statuses of its direction, in order; empty where the direction is not known. */
export type TransactionHistory = {
  transactionId: string;
  direction: "INBOUND" | "OUTBOUND" | "UNKNOWN";
  mainFlow: readonly string[];
  /** In order of publication. */
  statuses: readonly PublishedStatus[];
  notes: readonly string[];
  progress: Progress;
};

export type LetterFilter = { reason: string | null; sinceMs: number | null; untilMs: number | null };

/** `next`: the cursor of the older page; null at the end. `searchedBackToMs`: null where all was searched. */
export type LettersPage = {
  letters: readonly DeadLetter[];
  next: string | null;
  searchedBackToMs: number | null;
};

export type LetterDetail = {
  letter: DeadLetter;
  key: Buffer | null;
  /** The whole value, all parts joined; null for a null value, or where parts are missing. */
  value: Buffer | null;
  headers: readonly (readonly [name: string, value: string])[];
  /** When and by whom it was replayed, as sentences. */
  replayed: readonly string[];
};

export type AuditLine = {
  atMs: number;
  place: Place;
  actionId: string;
  action: string;
  subject: string;
  by: string;
  note: string;
  /** `address`: "" where there is none. */
  from: { host: string; user: string; program: string; address: string };
  parameters: string;
  /** Null for the entry before the action. */
  outcome: { kind: string; text: string } | null;
};

/** The newest first. `next`: the offset before which the next page begins; null at the end. */
export type AuditPage = { lines: readonly AuditLine[]; next: number | null };

/** What pages can ask. Promises reject with an OutageError, a sentence, when Kafka does not answer in time. */
export type Queries = {
  /** From memory. */
  overview: () => Overview;
  /** The oldest first. */
  doubts: (from: number, count: number) => DoubtsPage;
  doubt: (commandId: string) => readonly Doubt[];
  /** What is known by now. The first call starts the search; it goes on while it is called again. */
  command: (commandId: string, sinceMs: number | null) => CommandHistory;
  transaction: (transactionId: string, sinceMs: number | null) => TransactionHistory;
  letters: (filter: LetterFilter, from: string | null, signal: AbortSignal) => Promise<LettersPage>;
  letter: (ref: string, signal: AbortSignal) => Promise<LetterDetail | null>;
  audit: (before: number | null, signal: AbortSignal) => Promise<AuditPage>;
  /** Calls `hear` when something may have changed. Returns the function that unsubscribes. */
  onChange: (hear: () => void) => () => void;
};

/** The letters of a replay: by ref, or by reason and time. */
export type Selection = { refs: readonly string[] } | LetterFilter;

/** What a replay would do. It is kept under its id for 15 minutes, for the person who made it. */
export type ReplayPlan = {
  planId: string;
  send: readonly { ref: string; topic: string; preview: string }[];
  sendCount: number;
  skipped: readonly { ref: string; why: string; detail: string }[];
  skippedCount: number;
  warnings: readonly string[];
};

export type ReplayRun = {
  runId: string;
  by: string;
  startedAtMs: number;
  total: number;
  /** Letters by outcome. */
  sent: number;
  duplicates: number;
  left: number;
  unknown: number;
  /** The last letters, the newest first, each with its new place or the reason why it was not sent. */
  last: readonly { ref: string; text: string }[];
  /** `done` also when some were not sent: `detail` says why. */
  state: "running" | "cancelling" | "done" | "failed";
  detail: string | null;
};

/** Four eyes: a decision that waits for the approval of a second operator. */
export type Proposal = {
  by: string;
  as: ResolveRequest["as"];
  note: string;
  atMs: number;
  untilMs: number;
  place: Place;
  /** Of the doubt, in any spelling; null where it is about no quote. */
  quoteId: string | null;
};

/** The place of a control entry that was written, and the pause that it replaced. */
export type PauseChange = { place: string; before: ControlEntry | null };

/** What people can do, through the functions of `operator/`. The message of a UsageError is for people. */
export type Actions = {
  resolve: (actor: Actor, asked: ResolveRequest) => Promise<ResolveOutcome>;
  /** The open proposals; none without four eyes. Rejects with a UsageError when the topic cannot be read. */
  proposals: (commandId: string) => Promise<readonly Proposal[]>;
  plan: (actor: Actor, selection: Selection, again: boolean) => Promise<ReplayPlan>;
  /** Runs a plan once: a second call returns the run that the first one began. */
  replay: (actor: Actor, planId: string) => Promise<ReplayRun>;
  run: (runId: string) => ReplayRun | null;
  cancel: (actor: Actor, runId: string) => ReplayRun | null;
  pause: (actor: Actor, flow: Pausable, untilMs: number | null) => Promise<PauseChange>;
  resume: (actor: Actor, flow: Pausable) => Promise<PauseChange>;
};
