/** What a person can do to the bridge. */
export type ActionKind = "resolve" | "replay" | "pause" | "resume";

/** A viewer looks, an operator acts. */
export type Role = "viewer" | "operator";

/** Who acts, and from where: as given, for people to read afterwards. */
export type Actor = {
  by: string;
  role: Role;
  note: string;
  /** The host, the user of its operating system, and the program: "cli" or "console". */
  from: { host: string; user: string; program: string };
};

/** One thing that somebody is about to do. */
export type Action = {
  kind: ActionKind;
  /** What it is done to: a commandId, a dead letter, a flow. */
  subject: string;
  /** What else was asked for, as JSON. */
  parameters: Readonly<Record<string, unknown>>;
};

/** What came of it. `effect` says in JSON what is durable now, with places as topic, partition and offset. */
export type Outcome =
  | { kind: "done"; effect: Readonly<Record<string, unknown>> }
  /** Nothing was done, and why. */
  | { kind: "refused"; reason: string }
  /** Nothing was done yet: somebody else must ask for the same, until then. `quoteId` says what a decision is about where the commandId does not. */
  | { kind: "proposed"; reason: string; until: string; quoteId: string | null }
  /** It is not known, or only in part, what was done. */
  | { kind: "failed"; reason: string };
