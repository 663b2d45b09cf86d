import type { Actor } from "../operator/action.ts";
import type { Pausable, Word } from "../operator/control-entry.ts";
import type { Letter } from "../operator/replay/dead-letter.ts";
import type { Asked, Ended } from "../operator/resolve-outcome.ts";

/** Where a record stands. Shown as topic[partition]@offset. */
export type Place = { topic: string; partition: number; offset: number };

/** How far something that is read in the background has come. */
export type Progress = {
  isComplete: boolean;
  /** Records. */
  read: number;
  total: number;
  /** Everything from this time on is known; null before anything is. */
  sinceMs: number | null;
  /** Why it does not go on, in a sentence; null while it does. */
  problem: string | null;
};

/** A command of which nobody knows whether the partner executed it, and all that the journal says of it. */
export type Doubt = {
  commandId: string;
  operation: "CREATE_QUOTE" | "ACCEPT_QUOTE";
  quoteId: string | null;
  /** The claim of the attempt in doubt; null while it has not been read. */
  claim: { atMs: number; place: Place; callWithinMs: number } | null;
  /** When the journal took the doubt down, and where. */
  atMs: number;
  place: Place;
  /** Calls that were sent to the partner. */
  attempts: number;
  httpStatus: number | null;
  error: { code: string; message: string } | null;
  /** The beginning of the partner's last answer, secrets masked. */
  response: string | null;
  /** From when on `resolve` needs no force; null while the claim is not known. */
  resolvableAtMs: number | null;
};

export type Doubts = {
  count: number;
  oldestAtMs: number | null;
  /** Calls that may be under way: claims without an end. */
  underWay: number;
  progress: Progress;
};

export type DoubtsPage = { doubts: readonly Doubt[]; count: number; progress: Progress };

/** One value for each of the last 60 minutes, the oldest first; null where it is not known. */
export type Hour = readonly (number | null)[];

export type Replica = {
  clientId: string;
  host: string;
  /** Of the commands topic. */
  partitions: readonly number[];
  /** Whether it reads the partner's log. */
  isReconciling: boolean;
};

export type Overview = {
  atMs: number;
  /** `detail`: what is to be known of it, in a sentence; null for nothing. */
  kafka: { up: boolean; detail: string | null };
  doubts: Doubts;
  /** `newestAtMs`: null where there is none. `records`: those that the topic holds; null while that is not known yet. */
  deadLetters: { records: number | null; lastHour: number | null; newestAtMs: number | null };
  /** Records for each minute, from the topics' own times. */
  rates: readonly {
    topic: string;
    of: "events" | "commands" | "results" | "dead letters";
    perMinute: Hour;
  }[];
  /** Commands that wait. `records`: null while it is not known yet. The hour is known from when the console was started. */
  lag: {
    records: number | null;
    hour: Hour;
    partitions: readonly { partition: number; committed: number | null; end: number; lag: number }[];
  };
  /** Null while they are not known yet. */
  replicas: readonly Replica[] | null;
  /** The last word on each flow, null where nobody ever said one; as a whole null while it is not known yet. */
  pauses: Readonly<Record<Pausable, Word | null>> | null;
  /** The last run that read the partner's log completely; null where none is known. */
  lastReconcile: { completeAtMs: number } | null;
};

/** A step of what happened to one id. */
export type Step = {
  atMs: number;
  place: Place;
  kind:
    "command" | "claim" | "release" | "doubt" | "conclusion" | "result" | "event" | "dead letter" | "other";
  title: string;
  tone: "good" | "wait" | "bad" | "plain";
  /** What it says, as name and value. */
  facts: readonly (readonly [name: string, value: string])[];
  /** The value as text, bounded; null for none. */
  payload: string | null;
};

/** In order of time. `notes`: what the reader should know of the search itself, in sentences. */
export type CommandStory = {
  commandId: string;
  steps: readonly Step[];
  notes: readonly string[];
  progress: Progress;
};

/** A status that was published for a transaction. */
export type StatusSeen = {
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

/** `mainFlow`: the statuses of its direction in their usual order; empty where the direction is not known. */
export type TransactionStory = {
  transactionId: string;
  direction: "INBOUND" | "OUTBOUND" | "UNKNOWN";
  mainFlow: readonly string[];
  /** By the time of their publication. */
  statuses: readonly StatusSeen[];
  notes: readonly string[];
  progress: Progress;
};

export type LetterFilter = { reason: string | null; sinceMs: number | null; untilMs: number | null };

/** `next`: where the page behind this one begins; null at the end. `searchedBackToMs`: null where all was looked at. */
export type LettersPage = {
  letters: readonly Letter[];
  next: string | null;
  searchedBackToMs: number | null;
};

export type LetterDetail = {
  letter: Letter;
  key: Buffer | null;
  /** All parts, whole; null for a null value, or where parts are missing. */
  value: Buffer | null;
  headers: readonly (readonly [name: string, value: string])[];
  /** When and by whom it was replayed, in sentences. */
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
  from: { host: string; user: string; program: string };
  parameters: string;
  /** Null for the entry that was written before the action. */
  outcome: { kind: string; text: string } | null;
};

/** The newest first. */
export type AuditPage = { lines: readonly AuditLine[]; next: number | null };

/** What can be looked at. Everything rejects with a sentence when Kafka does not answer in time. */
export type Reading = {
  /** At once, from memory. */
  overview: () => Overview;
  /** The oldest first. */
  doubts: (from: number, count: number) => DoubtsPage;
  doubt: (commandId: string) => readonly Doubt[];
  /** What is known by now; begins to read with the first question, and goes on while it is asked for. */
  command: (commandId: string, sinceMs: number | null) => CommandStory;
  transaction: (transactionId: string, sinceMs: number | null) => TransactionStory;
  letters: (filter: LetterFilter, from: string | null, signal: AbortSignal) => Promise<LettersPage>;
  letter: (ref: string, signal: AbortSignal) => Promise<LetterDetail | null>;
  audit: (before: number | null, signal: AbortSignal) => Promise<AuditPage>;
  /** Hears that something may look different now. Returns how to stop. */
  onChange: (hear: () => void) => () => void;
};

/** Which letters a replay is for: named ones, or those of a reason and time. */
export type Selection = { refs: readonly string[] } | LetterFilter;

/** What a replay would do. It is kept for a while under its id, for whoever made it. */
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
  /** What came of letters so far. */
  sent: number;
  duplicates: number;
  left: number;
  unknown: number;
  /** The last ones, the newest first: a letter and the place where it stands now, or why it does not. */
  last: readonly { ref: string; text: string }[];
  /** `done` also when letters were left over: `detail` says why. */
  state: "running" | "cancelling" | "done" | "failed";
  detail: string | null;
};

/** With four eyes: what somebody asked for to be decided, and waits for a second operator. */
export type Proposal = {
  by: string;
  as: Asked["as"];
  note: string;
  atMs: number;
  untilMs: number;
  place: Place;
  /** Of the doubt, in any spelling; null where it is about none. */
  quoteId: string | null;
};

/** What can be done. Each goes through a function of `operator/`; what these throw as a UsageError is a sentence for people. */
export type Acting = {
  resolve: (actor: Actor, asked: Asked) => Promise<Ended>;
  /** What is proposed of a command now; nothing without four eyes. Rejects with a sentence when the audit topic cannot be read in time. */
  proposals: (commandId: string) => Promise<readonly Proposal[]>;
  plan: (actor: Actor, selection: Selection, again: boolean) => Promise<ReplayPlan>;
  /** The same plan is run once: a second call gives the run that the first one began. */
  replay: (actor: Actor, planId: string) => Promise<ReplayRun>;
  run: (runId: string) => ReplayRun | null;
  cancel: (actor: Actor, runId: string) => ReplayRun | null;
  /** Says where the word stands, and which pause it took the place of. */
  pause: (
    actor: Actor,
    flow: Pausable,
    untilMs: number | null,
  ) => Promise<{ place: string; before: Word | null }>;
  resume: (actor: Actor, flow: Pausable) => Promise<{ place: string; before: Word | null }>;
};
