import { backoffMs } from "../../runtime/backoff.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Entry } from "./entry.ts";
import type { Deps, Observer, Options } from "./ports.ts";

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
      await clock.sleep(backoffMs(options.backoff, attempt, random()), signal);
    }
  }
};

/** The journal topic takes no record of this size: retrying the same entry is of no use. */
export class EntryRefused extends Error {
  override readonly name = "EntryRefused";
}

/**
 * Appends an entry and waits until this replica's view has folded it. What counts is the view then, not what
 * was appended.
 * @param shorter the entry to append instead when the topic refuses the size of the first one
 */
export const appendAndReadBack = async (
  deps: WriteDeps & Pick<Deps, "journal" | "view">,
  key: string,
  entry: Entry,
  signal: AbortSignal,
  shorter: () => Entry = () => entry,
): Promise<RecordPosition> => {
  let fitting = entry;
  const append = (): Promise<RecordPosition> =>
    deps.journal.append(key, fitting).catch((error: unknown) => {
      if (error instanceof EntryRefused) fitting = shorter();
      throw error;
    });
  const position = await retryUntilAborted(deps, "append", signal, append);
  await deps.view.past(position, signal);
  return position;
};
