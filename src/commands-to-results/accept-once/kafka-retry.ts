import { backoffMs } from "../../runtime/backoff.ts";
import type { CommandResult, Concluded } from "../../records.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { JournalStep, Ref } from "./entry.ts";
import type { Deps, Observer, Options } from "./ports.ts";
import { wait } from "./wait.ts";

export type WriteDeps = Pick<
  Deps,
  "clock" | "view" | "journal" | "publish" | "codec" | "random" | "newId"
> & {
  observer: Pick<Observer, "retrying">;
  options: Pick<Options, "backoff">;
};

/** `leavePlace`: gives slot and permit back, because a partition that takes nothing may do so for hours. */
type Writer = { readonly deps: WriteDeps; readonly leavePlace?: () => void };

/** Retries a write to Kafka or a read, with backoff, until it succeeds or the signal aborts. */
export const retryUntilAborted = async <T>(
  { deps: { clock, random, observer, options }, leavePlace }: Writer,
  what: Parameters<Observer["retrying"]>[0],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      leavePlace?.();
      observer.retrying(what, error);
      await wait(clock, backoffMs(options.backoff, attempt, random()), signal);
    }
  }
};

/** The journal topic takes no record of this size: retrying the same entry is of no use. */
export class EntryRefused extends Error {
  override readonly name = "EntryRefused";
}

/** Appends an entry and waits until the view has folded it. Ask the view then: another entry may have come first. */
export const appendAndReadBack = async (
  writer: Writer,
  ref: Ref,
  step: JournalStep,
  signal: AbortSignal,
): Promise<RecordPosition> => {
  const { journal, view } = writer.deps;
  const append = (): Promise<RecordPosition> => journal.append(ref, step);
  const position = await retryUntilAborted(writer, "append", signal, append);
  await view.past(ref, position, signal);
  return position;
};

/** Appends an entry for an attempt that nobody claimed: then the view is read up to now, by the broker's clock. */
export const appendProbe = (writer: Writer, ref: Ref, signal: AbortSignal): Promise<RecordPosition> =>
  appendAndReadBack(writer, ref, { kind: "released", attemptId: writer.deps.newId() }, signal);

export type WrittenConclusion = { result: CommandResult; value: Buffer; position: RecordPosition };

/** Appends a conclusion and waits until the view has folded it. Whether it counts is for the fold to say. */
export const appendConclusion = async (
  writer: Writer,
  ref: Ref,
  conclusion: Omit<Concluded, "outcome" | "resultId" | "result">,
  result: CommandResult,
  signal: AbortSignal,
): Promise<WrittenConclusion> => {
  const { outcome, resultId, response } = result;
  const { journal, view, codec } = writer.deps;
  const value = codec.encode(result);
  const step: JournalStep = { kind: "concluded", ...conclusion, outcome, resultId, result: value };
  const append = (): Promise<RecordPosition | null> =>
    journal.append(ref, step).catch((error: unknown) => {
      if (error instanceof EntryRefused && response !== null) return null;
      throw error;
    });
  const position = await retryUntilAborted(writer, "append", signal, append);
  // Only the text of the partner's answer can make it too large, and the outcome matters more.
  if (position === null)
    return appendConclusion(writer, ref, conclusion, { ...result, response: null }, signal);
  await view.past(ref, position, signal);
  return { result, value, position };
};
