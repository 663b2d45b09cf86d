import { messageOf, UsageError } from "../runtime/errors.ts";
import type { Action, Actor, Outcome } from "./action.ts";
import { mustBeOperator } from "./forbidden.ts";

/** What stands in the audit topic: an action before it has any effect, and what came of it. */
export type AuditEntry = { actionId: string; actor: Actor; action: Action; outcome: Outcome | null };

/** Where an entry stands. */
export type AuditPlace = { partition: number; offset: number };

export type AuditPorts = {
  /** Resolves when the entry is durable. */
  write: (entry: AuditEntry) => Promise<AuditPlace>;
  newId: () => string;
  /** Hears, in a sentence, that what came of an action could not be written. */
  warn: (sentence: string) => void;
};

/** The action that is under way: its id, and where the audit topic says that it was begun. */
export type Begun = { actionId: string; place: AuditPlace };

/** What an action gives back, and what the audit topic says of it. */
export type Acted<T> = { value: T; outcome: Outcome };

/**
 * Does what a person asked for. Throws Forbidden, before anything is written, when this person may only look, and a UsageError when no name or no
 * reason is given. Without an entry in the audit topic there is no action: throws a UsageError when the first one cannot be written. When only the second one, on what came of it, cannot be written, the action stands and `warn` hears of it.
 */
export type Audited = <T>(
  actor: Actor,
  action: Action,
  act: (begun: Begun) => Promise<Acted<T>>,
) => Promise<T>;

/** Both go into one record of a topic; of a decision together with the partner's answer. */
export const MAX_TEXT_LENGTH = 1_000;

const mustSayWhy = ({ by, note }: Actor): void => {
  if ([by, note].some((text) => text.trim() === "" || text.length > MAX_TEXT_LENGTH))
    throw new UsageError(
      `Nothing was done: the name and the note must be there, and have at most ${MAX_TEXT_LENGTH} characters.`,
    );
};

export const audited =
  ({ write, newId, warn }: AuditPorts): Audited =>
  async (actor, action, act) => {
    mustBeOperator(actor);
    mustSayWhy(actor);
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
      const { value, outcome } = await act({ actionId, place });
      await end(outcome);
      return value;
    } catch (error) {
      await end({ kind: "failed", reason: messageOf(error) });
      throw error;
    }
  };
