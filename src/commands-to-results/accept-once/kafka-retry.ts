import { backoffMs } from "../../runtime/backoff.ts";
import type { CommandResult } from "../../records.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { concludedEntry, probeEntry, type Conclusion, type Entry, type Ref } from "./entry.ts";
import type { Deps, Observer, Options } from "./ports.ts";
import { wait } from "./wait.ts";

export type WriteDeps = Pick<Deps, "clock" | "random"> & {
  observer: Pick<Observer, "retrying">;
  options: Pick<Options, "backoff">;
};

/** Retries a write to Kafka or a read, with backoff, until it succeeds or the signal aborts. */
export const retryUntilAborted = async <T>(
  { clock, random, observer, options }: WriteDeps,
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
      observer.retrying(what, error);
      await wait(clock, backoffMs(options.backoff, attempt, random()), signal);
    }
  }
};

/** The journal topic takes no record of this size: retrying the same entry is of no use. */
export class EntryRefused extends Error {
  override readonly name = "EntryRefused";
}

/**
 * Appends an entry and waits until the view has folded it. Ask the view then: another entry may have come first.
 * @param entryIfTooLarge the entry to append instead when the topic refuses the size of the first one
 */
export const appendAndReadBack = async (
  deps: WriteDeps & Pick<Deps, "journal" | "view">,
  key: string,
  entry: Entry,
  signal: AbortSignal,
  entryIfTooLarge: () => Entry = () => entry,
): Promise<RecordPosition> => {
  let entryToAppend = entry;
  const append = (): Promise<RecordPosition> =>
    deps.journal.append(key, entryToAppend).catch((error: unknown) => {
      if (error instanceof EntryRefused) entryToAppend = entryIfTooLarge();
      throw error;
    });
  const position = await retryUntilAborted(deps, "append", signal, append);
  await deps.view.past(position, signal);
  return position;
};

/**
 * Appends an entry that no fold acts on, and waits until the view has folded it: then the partition is read up to now,
 * and the entry's LogAppendTime is the time by the broker's clock.
 */
export const appendProbe = (
  deps: WriteDeps & Pick<Deps, "journal" | "view" | "newId">,
  ref: Ref,
  signal: AbortSignal,
): Promise<RecordPosition> => appendAndReadBack(deps, ref.key, probeEntry(ref, deps.newId()), signal);

export type WrittenConclusion = { result: CommandResult; value: Buffer; position: RecordPosition };

/** Appends a conclusion and waits until the view has folded it. Whether it counts is for the fold to say. */
export const appendConclusion = async (
  deps: WriteDeps & Pick<Deps, "journal" | "view" | "codec">,
  ref: Ref,
  conclusion: Omit<Conclusion, "result">,
  result: CommandResult,
  signal: AbortSignal,
): Promise<WrittenConclusion> => {
  let written = { result, value: deps.codec.encode(result) };
  const entry = (): Entry => concludedEntry(ref, written.result, { ...conclusion, result: written.value });
  // Only the text of the partner's answer can make it too large, and the outcome matters more.
  const withoutResponse = (): Entry => {
    const shorter = { ...result, response: null };
    written = { result: shorter, value: deps.codec.encode(shorter) };
    return entry();
  };
  const position = await appendAndReadBack(deps, ref.key, entry(), signal, withoutResponse);
  return { ...written, position };
};
