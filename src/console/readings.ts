import { explainOutage, type Progress, type Tools } from "../operate/tools.ts";
import { openDoubts, type OpenDoubts } from "../operate/doubts/doubts.ts";
import { OutageError, UsageError } from "../runtime/errors.ts";

/** `atMs` is when `value` was read. `error` stays until the question is answered, also while it is asked again. */
export type Reading<T> = {
  value: T | null;
  atMs: number | null;
  error: unknown;
  isReading: boolean;
  progress: Progress | null;
};

type Start<T> = (tools: Tools) => Promise<T>;

const NOTHING: Reading<unknown> = { value: null, atMs: null, error: null, isReading: false, progress: null };

type Entry = {
  reading: Reading<unknown>;
  ended: Promise<void>;
  /** When it began, or its answer, or a part of it, last came. */
  heardAtMs: number;
  seenAtMs: number;
  stop: AbortController;
};

/** A page waits so long for a reading, so that it answers within two seconds. */
const WAIT_MS = 1_500;
/** A reading that no page has asked for since this long is stopped. */
const IDLE_MS = 60_000;
/** A page that loads itself again finds what was read meanwhile. */
const KEEP_MS = 2_500;
const LOOK_EVERY_MS = 5_000;
/** After a failure the next try waits this long. */
const FAILED_MS = 2_000;
/** A Kafka that is silent for so long counts as away, long before the question fails. */
const SILENT_MS = 4_000;
/** How many readings run at once: each may read whole topics. */
const MAX_READING = 16;
const TOO_MUCH = "The console is busy: load the page again in a moment.";

/** A key always has a value of one type. A reading is shared, and stops when nobody asks for it any more. */
export const createReadings = (tools: Tools) => {
  const { config, clock } = tools;
  const entries = new Map<string, Entry>();
  let running = 0;

  const forgetWhenIdle = async (key: string, entry: Entry): Promise<void> => {
    while (clock.monotonic() - entry.seenAtMs < IDLE_MS && entries.get(key) === entry)
      await clock.sleep(LOOK_EVERY_MS, entry.stop.signal);
    if (entries.get(key) === entry) entries.delete(key);
    entry.stop.abort();
  };

  const begin = (key: string, start: Start<unknown>, previous: Reading<unknown>): Entry => {
    const stop = new AbortController();
    const entry: Entry = {
      reading: { ...previous, isReading: true, progress: null },
      ended: Promise.resolve(),
      heardAtMs: clock.monotonic(),
      seenAtMs: clock.monotonic(),
      stop,
    };
    const learn = (news: Partial<Reading<unknown>>): void => {
      entry.reading = { ...entry.reading, ...news };
      entry.heardAtMs = clock.monotonic();
    };
    const onProgress = (progress: Progress): void => learn({ progress: { ...progress } });
    running += 1;
    const working = start({ ...tools, onProgress, stopped: stop.signal }).finally(() => (running -= 1));
    entry.ended = explainOutage(config, working, stop.signal).then(
      (value) => learn({ value, atMs: clock.now(), error: null, isReading: false }),
      (error: unknown) => learn({ error, isReading: false }),
    );
    entries.set(key, entry);
    forgetWhenIdle(key, entry).catch(() => undefined);
    return entry;
  };

  const silence = ({ reading, heardAtMs }: Entry): OutageError | null => {
    const silentMs = clock.monotonic() - heardAtMs;
    if (!reading.isReading || silentMs < SILENT_MS) return null;
    return new OutageError(`Kafka has not answered for ${Math.floor(silentMs / 1_000)} s.`);
  };

  return {
    /** Waits for a moment. @param keepMs for how long the value may be shown again */
    read: async <T>(key: string, start: Start<T>, keepMs = KEEP_MS): Promise<Reading<T>> => {
      const last = entries.get(key);
      const freshMs = last && last.reading.error !== null ? FAILED_MS : keepMs;
      const isFresh = last && (last.reading.isReading || clock.monotonic() - last.heardAtMs < freshMs);
      const previous = (last?.reading ?? NOTHING) as Reading<T>;
      if (!isFresh && running >= MAX_READING) return { ...previous, error: new UsageError(TOO_MUCH) };
      const entry = isFresh ? last : begin(key, start, previous);
      entry.seenAtMs = clock.monotonic();
      await clock.within(WAIT_MS, undefined, entry.ended).catch(() => undefined);
      return { ...(entry.reading as Reading<T>), error: entry.reading.error ?? silence(entry) };
    },
    close: (): void => {
      for (const { stop } of entries.values()) stop.abort();
      entries.clear();
    },
  };
};

/** The journal's view takes memory: it is closed when nobody looks. */
export const shareDoubts = ({ read }: ReturnType<typeof createReadings>) => {
  let closed = Promise.resolve();

  const open = async (tools: Tools): Promise<OpenDoubts> => {
    const opened = await openDoubts(tools);
    const close = (): void => {
      closed = opened.close().catch((error: unknown) => tools.warn(String(error)));
    };
    if (tools.stopped.aborted) close();
    else tools.stopped.addEventListener("abort", close, { once: true });
    return opened;
  };

  return {
    /** Once all is read, `error` tells whether the journal's end can be asked for: a Kafka that froze adds nothing. */
    look: async (): Promise<Reading<OpenDoubts>> => {
      const opening = await read("doubts", open, Infinity);
      const opened = opening.value;
      if (!opened?.progress().isComplete) return { ...opening, atMs: null };
      const current = await read("journal's end", () => opened.untilCurrent());
      return { ...current, value: opened };
    },
    closed: (): Promise<void> => closed,
  };
};
