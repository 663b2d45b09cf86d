import { messageOf, UsageError } from "../runtime/errors.ts";
import { iso, isoOrNull, readInstant } from "../runtime/instant.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import type { Actor } from "./action.ts";
import type { Audited } from "./audit.ts";
import { isPause, type Pausable, type ControlEntry, type ControlEntries } from "./control-entry.ts";

export type PausePorts = {
  audited: Audited;
  /** The entries of the control topic, read to its end. */
  entries: () => Promise<ControlEntries>;
  /** Resolves with the entry's place, as topic[partition]@offset, when it is durable. */
  write: (entry: ControlEntry) => Promise<string>;
  now: () => number;
};

/** `untilMs`: only for a pause; null for a pause without an end. */
export type PauseRequest = Pick<ControlEntry, "flow" | "says" | "untilMs">;

/** `before`: the pause that this entry replaced; null where the flow was not paused. */
export type PauseResult = {
  entry: ControlEntry;
  place: string;
  audit: RecordPosition;
  before: ControlEntry | null;
};

/** The pause that is in force; null where the flow runs. */
export const currentPause = (entries: ControlEntries, flow: Pausable, nowMs: number): ControlEntry | null => {
  const entry = entries.get(flow);
  return isPause(entry, nowMs) ? entry : null;
};

/**
 * Pauses or resumes a flow on all replicas. The last entry counts. A pause of a paused flow replaces the
 * former one, so a pause can be extended without a gap. A resume is written even where nothing is paused:
 * replicas may still hold a pause that a topic which was created anew does not know.
 */
export const pauseOrResume =
  ({ audited, entries, write, now }: PausePorts) =>
  async (actor: Actor, { flow, says, untilMs }: PauseRequest): Promise<PauseResult> => {
    if (untilMs !== null && readInstant(iso(untilMs)) === null)
      throw new UsageError(
        "A pause must end before the year 10000. Without an end it lasts until it is resumed.",
      );
    const before = currentPause(await entries(), flow, now());
    // Connecting may have taken longer than the pause.
    if (untilMs !== null && untilMs <= now())
      throw new UsageError("Nothing is paused: the pause would be over before it is written.");
    const action = {
      kind: says,
      subject: flow,
      parameters: says === "pause" ? { until: isoOrNull(untilMs) } : {},
    };
    return audited(actor, action, async ({ actionId, place: audit }) => {
      const { by, note } = actor;
      const entry: ControlEntry = { flow, says, by, note, atMs: now(), untilMs, actionId };
      const place = await write(entry).catch((error: unknown) => {
        throw new UsageError(
          `Nobody knows whether the ${says} was written (${messageOf(error)}): ask \`cambio-bridge status\`, and run the same again.`,
          { cause: error },
        );
      });
      const replaced = before && { by: before.by, until: isoOrNull(before.untilMs) };
      const outcome = { kind: "done", effect: { record: place, replaced } } as const;
      return { value: { entry, place, audit, before }, outcome };
    });
  };
