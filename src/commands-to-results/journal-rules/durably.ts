import { backoffMs } from "../../runtime/backoff.ts";
import type { Entry, Position } from "./entry.ts";
import type { Deps, Observer } from "./ports.ts";

type WriteDeps = Pick<Deps, "clock" | "random" | "observer" | "options">;

/** Tries a write to Kafka, or a read, until it succeeds or the signal aborts. */
export const durably = async <T>(
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

/** The log takes no entry of this size, however often it is appended. */
export class EntryRefused extends Error {
  override readonly name = "EntryRefused";
}

/**
 * Appends an entry and waits until the own view has folded it: what the log says from then on is what counts, not what was appended.
 * @param shorter gives the entry that is appended instead, where the log takes none of the first one's size
 */
export const appendAndReadBack = async (
  deps: WriteDeps & Pick<Deps, "journal" | "view">,
  key: string,
  entry: Entry,
  signal: AbortSignal,
  shorter: () => Entry = () => entry,
): Promise<Position> => {
  let fitting = entry;
  const append = (): Promise<Position> =>
    deps.journal.append(key, fitting).catch((error: unknown) => {
      if (error instanceof EntryRefused) fitting = shorter();
      throw error;
    });
  const position = await durably(deps, "append", signal, append);
  await deps.view.past(position, signal);
  return position;
};
