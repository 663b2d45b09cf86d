import { explainOutage, type Connections, type OnProgress, type Progress } from "../operate/connections.ts";
import { openDoubts, type OpenDoubts } from "../operate/doubts/doubts.ts";

/**
 * What a request asked for. `value`: as it was read, while it is being read again as it was before, and null while
 * nothing is known. `error`: why it could not be read; null for nothing.
 */
export type Reading<T> = { value: T | null; error: unknown; isReading: boolean; progress: Progress | null };

type Start<T> = (onProgress: OnProgress, signal: AbortSignal) => Promise<T>;

type Open = Reading<unknown> & {
  ended: Promise<void>;
  endedAtMs: number;
  seenAtMs: number;
  stop: AbortController;
};

/** With what else a page does, less than two seconds. */
const WAIT_MS = 1_500;
/** After this long nobody waits for it any more. */
const IDLE_MS = 60_000;
/** A page that loads itself again finds what was read meanwhile. */
const KEEP_MS = 4_000;
const LOOK_EVERY_MS = 5_000;
/** An outage is not asked about with each request. */
const FAILED_MS = 2_000;

/**
 * Readings that requests asked for, by what they read: a key always has a value of one type. One that is under way is
 * shared; it goes on while somebody asks for it now and then, and stops when nobody does.
 */
export const createReadings = ({ config, services: { clock } }: Connections) => {
  const open = new Map<string, Open>();

  const forgetWhenIdle = async (key: string, one: Open): Promise<void> => {
    while (clock.monotonic() - one.seenAtMs < IDLE_MS && open.get(key) === one)
      await clock.sleep(LOOK_EVERY_MS, one.stop.signal);
    if (open.get(key) === one) open.delete(key);
    one.stop.abort();
  };

  const begin = (key: string, start: Start<unknown>, before: unknown): Open => {
    const stop = new AbortController();
    const seenAtMs = clock.monotonic();
    const none = { error: null, progress: null, ended: Promise.resolve(), endedAtMs: 0 };
    const one: Open = { ...none, value: before, isReading: true, seenAtMs, stop };
    const end = (value: unknown, error: unknown): void =>
      void Object.assign(one, { value, error, isReading: false, endedAtMs: clock.monotonic() });
    const onProgress: OnProgress = (progress) => void (one.progress = { ...progress });
    one.ended = explainOutage(config, start(onProgress, stop.signal), stop.signal).then(
      (value) => end(value, null),
      (error: unknown) => end(null, error),
    );
    open.set(key, one);
    forgetWhenIdle(key, one).catch(() => undefined);
    return one;
  };

  return {
    /** Waits for a moment. @param keepMs for how long the value may be shown again */
    read: async <T>(key: string, start: Start<T>, keepMs = KEEP_MS): Promise<Reading<T>> => {
      const last = open.get(key);
      const freshMs = last && last.error !== null ? FAILED_MS : keepMs;
      const isFresh = last && (last.isReading || clock.monotonic() - last.endedAtMs < freshMs);
      const one = isFresh ? last : begin(key, start, last?.value ?? null);
      one.seenAtMs = clock.monotonic();
      await clock.within(WAIT_MS, undefined, one.ended).catch(() => undefined);
      const { value, error, isReading, progress } = one;
      return { value: value as T | null, error, isReading, progress };
    },
    close: (): void => {
      for (const { stop } of open.values()) stop.abort();
      open.clear();
    },
  };
};

const CHECK_EVERY_MS = 25;

/**
 * One reading of the journal for all pages. It is opened when somebody looks, and closed when nobody does: the
 * journal's view takes memory.
 */
export const shareDoubts = (
  connections: Connections,
  { read }: Pick<ReturnType<typeof createReadings>, "read">,
) => {
  const { warn, services } = connections;
  const { clock } = services;
  let closed = Promise.resolve();

  const open = async (signal: AbortSignal): Promise<OpenDoubts> => {
    const opened = await openDoubts(connections);
    const close = (): void => {
      closed = opened.close().catch((error: unknown) => warn(String(error)));
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
    return opened;
  };

  return {
    /** Opens them if need be, and waits for a moment until all is read. */
    look: async (): Promise<Reading<OpenDoubts>> => {
      const untilMs = clock.monotonic() + WAIT_MS;
      const found = await read("doubts", (_, signal) => open(signal), Infinity);
      const isBusy = (): boolean => {
        const now = found.value?.progress();
        return now !== undefined && !now.isComplete && now.problem === null;
      };
      while (isBusy() && clock.monotonic() < untilMs) await clock.sleep(CHECK_EVERY_MS);
      return found;
    },
    /** Resolves when the one that was told to stop is closed. */
    closed: (): Promise<void> => closed,
  };
};
