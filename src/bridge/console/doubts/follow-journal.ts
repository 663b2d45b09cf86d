import type { Config } from "../../../config/config.ts";
import type { Doubt, Doubts, DoubtsPage, Progress } from "../../../console/ports.ts";
import { startTail, type Ranges } from "../../../kafka/consume/tail.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { backoffMs } from "../../../runtime/backoff.ts";
import { messageOf } from "../../../runtime/errors.ts";
import { whenKnown } from "../../../runtime/when-known.ts";
import { scanRanges } from "../../scan-ranges.ts";
import type { Services } from "../../services.ts";
import { recordsIn } from "../ranges.ts";
import type { KeptEntry, ReadableRecord } from "./key-history.ts";
import { entryReader } from "./read-entry.ts";
import { knownSinceMs, startProgress, type JournalProgress } from "./journal-progress.ts";
import { detectReplacement } from "./replaced-journal.ts";
import { sortedDoubts } from "./sorted-doubts.ts";
import { createSchemaWait } from "./schema-wait.ts";

export type JournalFollower = {
  doubts: () => Doubts;
  page: (from: number, count: number) => DoubtsPage;
  of: (commandId: string) => readonly Doubt[];
  /**
   * Tells the journal's current offsets: deleted entries are forgotten; a journal that became shorter was
   * replaced.
   */
  updateRanges: (ranges: Ranges) => void;
  close: () => Promise<void>;
};

type Deps = { ranges: () => Promise<Ranges>; changed: () => void };

const BACKOFF = { baseMs: 1_000, maxMs: 30_000 };
/**
 * The broker reports its old end offset for a moment after it was frozen: look again before calling the
 * journal replaced.
 */
const SHORTER_LOOKS = 4;

const startsOf = (ranges: Ranges): Map<number, number> =>
  new Map([...ranges].map(([partition, { startOffset }]) => [partition, startOffset]));

/**
 * Follows the journal at its end, and reads older entries backwards in chunks. Begins at once, whether or not
 * Kafka answers.
 */
export const followJournal = (
  config: Config,
  services: Services,
  { ranges, changed }: Deps,
): JournalFollower => {
  const { clock, random } = services;
  const topic = config.topics.journal;
  const reader = entryReader(services);
  let journal: JournalProgress = startProgress(new Map());
  let isBegun = false;
  /** The tail restarts at its position: it waited for a schema. */
  let isResuming = false;
  /** A known place holds another record: the journal was replaced. */
  let isReplaced = false;
  const closed = new AbortController();
  const replacement = detectReplacement(clock.now);
  let problem: string | null = null;
  let timesShorter = 0;
  let reading: Promise<void> = Promise.resolve();
  const sorted = sortedDoubts(topic, () => journal.fold);

  const change = (): void => {
    sorted.changed();
    changed();
  };
  const schemaWait = createSchemaWait({ clock, random, closed: closed.signal, changed: change });

  const addFacts = (record: ReadableRecord, kept: KeptEntry | null): void | Promise<void> => {
    if (!kept) return undefined;
    return whenKnown(reader.facts(record), (facts) => {
      kept.facts = facts;
    });
  };

  const readChunk = async (known: JournalProgress, chunk: Ranges, isNewest: boolean): Promise<void> => {
    const before = { read: known.read, unreadable: known.unreadable };
    const { take, merge } = known.fold.chunk(isNewest);
    const oldest = new Map<number, number>();
    const fold = (entry: ReadableRecord | null): void | Promise<void> => {
      if (entry) return addFacts(entry, take(entry));
      known.unreadable += 1;
    };
    try {
      await scanRanges(
        { services, signal: known.over.signal },
        { topic, purpose: "console-journal", ranges: chunk },
        (record) => {
          const { partition, offset, timestampMs } = record;
          known.read += 1;
          replacement.sawRecord(record);
          if (!oldest.has(partition)) oldest.set(partition, timestampMs);
          const place = known.places.get(partition);
          if (place && offset === place.next - 1) place.last ??= { offset, timestampMs };
          return whenKnown(reader.entry(record), fold);
        },
      );
    } catch (error) {
      Object.assign(known, before);
      throw error;
    }
    merge();
    known.chunks.read(chunk);
    for (const [partition, ms] of oldest) known.oldestMs.set(partition, ms);
  };

  const complete = (known: JournalProgress): void => {
    const cut = [...known.oldestMs].filter(
      ([partition]) => (known.ranges.get(partition)?.startOffset ?? 0) > 0,
    );
    known.fold.complete(new Map(cut));
    known.isComplete = true;
  };

  const readBack = async (known: JournalProgress): Promise<void> => {
    const { signal } = known.over;
    const isOver = (): boolean => signal.aborted;
    for (let [failures, isNewest] = [0, true]; !signal.aborted;) {
      try {
        const chunk = known.chunks.next(startsOf(await ranges()));
        if (chunk) await readChunk(known, chunk, isNewest);
        else complete(known);
        [failures, isNewest, problem] = [0, false, null];
        change();
        // Sorts now, and not while a page waits.
        sorted.all();
        if (chunk === null) return;
      } catch (error) {
        if (isOver()) return;
        problem = `Older entries of ${topic} cannot be read now (${messageOf(error)}): it is tried again.`;
        change();
        await clock.sleep(backoffMs(BACKOFF, failures++, random()), signal).catch(() => undefined);
      }
    }
  };

  const begin = (found: Ranges): void => {
    if (isResuming) {
      isResuming = false;
      return;
    }
    journal.over.abort(new Error("the journal is read anew"));
    if (isReplaced) replacement.replaced(journal.places);
    isReplaced = false;
    schemaWait.reset();
    const known = (journal = startProgress(found));
    [isBegun, timesShorter, problem] = [true, 0, null];
    reading = Promise.all([reading, readBack(known)]).then(() => undefined);
    change();
  };

  const takeNew = (record: Incoming): boolean => {
    const { partition, offset, timestampMs } = record;
    const place = journal.places.get(partition);
    if (!place) return false;
    if (offset < place.next) {
      isReplaced = place.last?.offset !== offset || place.last.timestampMs !== timestampMs;
      return !isReplaced;
    }
    const entry = reader.entry(record);
    if (entry instanceof Promise) {
      schemaWait.waitFor(partition, entry);
      isResuming = true;
      return false;
    }
    schemaWait.clear(partition);
    replacement.sawRecord(record);
    place.next = offset + 1;
    place.last = { offset, timestampMs };
    if (!entry) journal.unreadable += 1;
    else void Promise.resolve(addFacts(entry, journal.fold.take(entry))).then(change, () => undefined);
    change();
    return true;
  };

  const tail = startTail(
    services.ownReader(topic, "console-end"),
    {
      begin,
      position: (partition) => {
        const place = journal.places.get(partition);
        return place ? (place.last?.offset ?? place.next) : null;
      },
      take: takeNew,
    },
    { ...services, ranges: () => schemaWait.untilRetry().then(ranges) },
  );

  const problemNow = (): string | null => {
    const { up, detail } = tail.state();
    if (!up && detail !== "not started yet" && detail !== "not joined yet")
      return `${topic} cannot be followed now (${detail}): what is shown may be old.`;
    const unreadable = `${journal.unreadable} records of ${topic} cannot be read by this version: there may be more doubts than are shown.`;
    const all = [
      schemaWait.problem(),
      problem,
      replacement.problem(),
      journal.unreadable === 0 ? null : unreadable,
    ];
    return all.filter((each) => each !== null).join(" ") || null;
  };
  const progress = (): Progress => ({
    isComplete: isBegun && journal.isComplete,
    read: journal.read,
    total: recordsIn(journal.ranges),
    sinceMs: knownSinceMs(journal, clock.now()),
    problem: problemNow(),
  });

  return {
    doubts: () => {
      const doubts = sorted.all();
      const oldestAtMs = doubts[0]?.atMs ?? null;
      return { count: doubts.length, oldestAtMs, underWay: sorted.held(), progress: progress() };
    },
    page: (from, count) => {
      const doubts = sorted.all();
      return { doubts: doubts.slice(from, from + count), count: doubts.length, progress: progress() };
    },
    of: (commandId) => sorted.all().filter((doubt) => doubt.commandId === commandId),
    updateRanges: (found) => {
      if (journal.fold.forgetBefore(startsOf(found))) change();
      const isShorter = [...journal.places].some(([p, { next }]) => (found.get(p)?.endOffset ?? 0) < next);
      timesShorter = isShorter ? timesShorter + 1 : 0;
      if (timesShorter < SHORTER_LOOKS) return;
      isReplaced = true;
      tail.restart();
    },
    close: async () => {
      closed.abort(new Error("closed"));
      journal.over.abort(new Error("closed"));
      await Promise.all([tail.stop(), reading]);
      // `begin` may have run while the tail ended.
      journal.over.abort(new Error("closed"));
      await reading;
    },
  };
};
