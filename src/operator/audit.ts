import { messageOf, UsageError } from "../runtime/errors.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import type { Action, Actor, Outcome } from "./action.ts";
import { requireOperator } from "./forbidden.ts";

/** An entry of the audit topic: an action that is about to begin (`outcome` is null), or its outcome. */
export type AuditEntry = { actionId: string; actor: Actor; action: Action; outcome: Outcome | null };

/** Nothing was done; the message says why. The audit topic gets the outcome `refused`. */
export class NothingDone extends UsageError {}

/** @throws NothingDone where the person has interrupted the action */
export const continueUnless = (stopped: AbortSignal | undefined): void => {
  if (stopped?.aborted) throw new NothingDone("It was interrupted, and nothing was done.");
};

export type AuditPorts = {
  /** Resolves when the entry is durable. */
  write: (entry: AuditEntry) => Promise<RecordPosition>;
  newId: () => string;
  /** Is told, as a sentence, that an outcome could not be written. */
  warn: (sentence: string) => void;
  /** An action that has not begun when this aborts does not begin. */
  stopped?: AbortSignal | undefined;
};

/** An action whose first audit entry is durable, and where that entry stands. */
export type Begun = { actionId: string; place: RecordPosition };

/** What an action returns, and the outcome that is written to the audit topic. */
export type ActionResult<T> = { value: T; outcome: Outcome };

/**
 * Writes an audit entry, does what a person asked for, then writes the outcome. There is no action without
 * its first entry.
 *
 * Throws Forbidden for a viewer, and a UsageError when the name or the note is missing or the first entry
 * cannot be written, or when it was interrupted: in all these cases nothing was done. When only the outcome cannot be written, the action
 * stands and `warn` is called.
 */
export type Audited = <T>(
  actor: Actor,
  action: Action,
  act: (begun: Begun) => Promise<ActionResult<T>>,
) => Promise<T>;

/** Name and note go into one record, for a decision together with the partner's answer. */
export const MAX_TEXT_LENGTH = 1_000;

const requireNameAndNote = ({ by, note }: Actor): void => {
  if ([by, note].some((text) => text.trim() === "" || text.length > MAX_TEXT_LENGTH))
    throw new UsageError(
      `Nothing was done: the name and the note must be there, and have at most ${MAX_TEXT_LENGTH} characters.`,
    );
};

export const audited =
  ({ write, newId, warn, stopped }: AuditPorts): Audited =>
  async (actor, action, act) => {
    requireOperator(actor);
    requireNameAndNote(actor);
    continueUnless(stopped);
    const actionId = newId();
    const place = await write({ actionId, actor, action, outcome: null }).catch((error: unknown) => {
      throw new UsageError(
        `Nothing was done, because it could not be written to the audit topic first (${messageOf(error)}): see that the topic can be written, then run it again.`,
        { cause: error },
      );
    });
    const end = (outcome: Outcome): Promise<unknown> =>
      write({ actionId, actor, action, outcome }).catch((error: unknown) => {
        warn(`What came of it could not be written to the audit topic (${messageOf(error)}).`);
      });
    try {
      continueUnless(stopped);
      const { value, outcome } = await act({ actionId, place });
      await end(outcome);
      return value;
    } catch (error) {
      await end({ kind: error instanceof NothingDone ? "refused" : "failed", reason: messageOf(error) });
      throw error;
    }
  };
