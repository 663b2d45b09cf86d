/** What a person can do to the bridge. */
export type ActionKind = "resolve" | "replay" | "pause" | "resume";

/** A viewer looks, an operator acts. */
export type Role = "viewer" | "operator";

/** Who acts, and from where, as it is written to the audit topic. */
export type Actor = {
  by: string;
  role: Role;
  note: string;
  /**
   * The host, the user of its operating system, and the program: "cli" or "console". `address`: of the person's
   * browser, for the console.
   */
  from: { host: string; user: string; program: string; address?: string };
};

/** What a person asks for. */
export type Action = {
  kind: ActionKind;
  /** What it is done to: a commandId, a dead letter, a flow. */
  subject: string;
  /** What else was asked for, as JSON. */
  parameters: Readonly<Record<string, unknown>>;
};

/**
 * What came of an action. `effect` says what is durable now; places are written as topic[partition]@offset.
 */
export type Outcome =
  | { kind: "done"; effect: Readonly<Record<string, unknown>> }
  /** Nothing was done, and why. */
  | { kind: "refused"; reason: string }
  /**
   * Four eyes: nothing was done yet, a second operator must ask for the same before `until`. `quoteId`: of
   * the doubt.
   */
  | { kind: "proposed"; reason: string; until: string; quoteId: string | null }
  /** It is not known, or not completely, what was done. */
  | { kind: "failed"; reason: string };
