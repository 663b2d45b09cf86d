import { messageOf, UsageError } from "../runtime/errors.ts";
import type { Actor } from "./action.ts";
import type { AuditPlace, Audited } from "./audit.ts";
import { isPause, type Pausable, type Word, type Words } from "./control-entry.ts";

export type PausePorts = {
  audited: Audited;
  /** What stands in the control topic, read to its end. */
  words: () => Promise<Words>;
  /** Resolves with the word's place, as topic[partition]@offset, when it is durable. */
  write: (word: Word) => Promise<string>;
  now: () => number;
};

/** What is asked for. `untilMs` is for a pause alone. */
export type Asked = Pick<Word, "flow" | "says" | "untilMs">;

/** `before`: the pause that this word took the place of; null where the flow was not paused. */
export type Said = { word: Word; place: string; audit: AuditPlace; before: Word | null };

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The pause that holds now. */
export const pauseOf = (words: Words, flow: Pausable, nowMs: number): Word | null => {
  const word = words.get(flow);
  return isPause(word, nowMs) ? word : null;
};

/**
 * Pauses or resumes a flow on all replicas. The last word counts: a pause of a flow that is paused already takes the place of the other one, and a
 * resume is written where nothing is paused, too. So a pause can be made longer without a moment in which commands are begun, and replicas that
 * hold a pause which a topic that was created again does not know can be let go on.
 */
export const sayPause =
  ({ audited, words, write, now }: PausePorts) =>
  async (actor: Actor, { flow, says, untilMs }: Asked): Promise<Said> => {
    const before = pauseOf(await words(), flow, now());
    const action = { kind: says, subject: flow, parameters: says === "pause" ? { until: iso(untilMs) } : {} };
    return audited(actor, action, async ({ actionId, place: audit }) => {
      const { by, note } = actor;
      const word: Word = { flow, says, by, note, atMs: now(), untilMs, actionId };
      const place = await write(word).catch((error: unknown) => {
        throw new UsageError(
          `Nobody knows whether the ${says} was written (${messageOf(error)}): ask \`cambio-bridge status\`, and run the same again.`,
          { cause: error },
        );
      });
      const replaced = before && { by: before.by, until: iso(before.untilMs) };
      const outcome = { kind: "done", effect: { record: place, replaced } } as const;
      return { value: { word, place, audit, before }, outcome };
    });
  };
