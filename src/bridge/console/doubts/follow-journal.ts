import type { Config } from "../../../config/config.ts";
import type { Doubt, Doubts, DoubtsPage, Progress } from "../../../console/ports.ts";
import { scan } from "../../../kafka/consume/scan.ts";
import { startTail, type Range } from "../../../kafka/consume/tail.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { backoffMs } from "../../../runtime/backoff.ts";
import { messageOf } from "../../../runtime/errors.ts";
import type { Services } from "../../services.ts";
import type { InDoubt } from "./doubt-fold.ts";
import { describe } from "./facts.ts";
import type { Noted, Readable } from "./key-history.ts";
import { entryReader } from "./read-entry.ts";
import { knownSinceMs, newKnowledge, type Knowledge } from "./knowledge.ts";
import { otherJournal } from "./other-journal.ts";
import { recordsIn, type Ranges } from "./stretches.ts";
import { unreadEnd } from "./unread-end.ts";

export type JournalFollower = {
  doubts: () => Doubts;
  page: (from: number, count: number) => DoubtsPage;
  of: (commandId: string) => readonly Doubt[];
  /** What the journal holds now: older entries are forgotten, and one that is shorter than it was is another one. */
  saw: (ranges: Ranges) => void;
  close: () => Promise<void>;
};

type Deps = { ranges: () => Promise<Ranges>; changed: () => void };

const BACKOFF = { baseMs: 1_000, maxMs: 30_000 };
/** A broker that was frozen may tell an old end for a moment. */
const SHORTER_LOOKS = 4;

const startsOf = (ranges: Ranges): Map<number, number> =>
  new Map([...ranges].map(([partition, { startOffset }]) => [partition, startOffset]));

/** Follows the journal at its end, and reads what is older backwards. Begins at once, whether or not Kafka answers. */
export const followJournal = (config: Config, services: Services, deps: Deps): JournalFollower => {
  const { ranges, changed } = deps;
  const { clock, random } = services;
  const topic = config.topics.journal;
  const { sessionTimeoutMs } = config.kafka;
  const reader = entryReader(services);
  let now: Knowledge = newKnowledge(new Map());
  let isBegun = false;
  /** The tail begins anew where it is: it waits for a schema. */
  let goesOn = false;
  /** What stands at a known place is not what stood there. */
  let isOther = false;
  const closed = new AbortController();
  const other = otherJournal(clock.now);
  let problem: string | null = null;
  let shorter = 0;
  let reading: Promise<void> = Promise.resolve();
  let sorted: Doubt[] | null = null;
  /** Of each doubt, for as long as nothing more is learned of it. */
  const described = new WeakMap<InDoubt["standing"], { facts: Noted["facts"]; doubt: Doubt }>();
  let held = 0;

  const change = (): void => {
    sorted = null;
    changed();
  };
  const unread = unreadEnd({ clock, random, closed: closed.signal, changed: change });

  const addFacts = (record: Readable, note: Noted | null): void | Promise<void> => {
    const facts = note && reader.facts(record);
    if (!note || facts === null) return undefined;
    const add = (found: Noted["facts"]): void => {
      note.facts = found;
    };
    if (facts instanceof Promise) return facts.then(add);
    add(facts);
    return undefined;
  };

  const readStretch = async (known: Knowledge, stretch: Ranges, isNewest: boolean): Promise<void> => {
    const before = { read: known.read, unreadable: known.unreadable };
    const { take, merge } = known.fold.stretch(isNewest);
    const oldest = new Map<number, number>();
    const fold = (entry: Readable | null): void | Promise<void> => {
      if (entry) return addFacts(entry, take(entry));
      known.unreadable += 1;
    };
    try {
      await scan(
        { topic, groupId: services.ownGroup("console-journal"), sessionTimeoutMs },
        (record) => {
          const { partition, offset, timestampMs } = record;
          known.read += 1;
          other.saw(record);
          if (!oldest.has(partition)) oldest.set(partition, timestampMs);
          const place = known.places.get(partition);
          if (place && offset === place.next - 1) place.last ??= { offset, timestampMs };
          const entry = reader.entry(record);
          return entry instanceof Promise ? entry.then(fold) : fold(entry);
        },
        { ...services, ranges: () => Promise.resolve(stretch) },
        known.over.signal,
      );
    } catch (error) {
      Object.assign(known, before);
      throw error;
    }
    merge();
    known.stretches.read(stretch);
    for (const [partition, ms] of oldest) known.oldestMs.set(partition, ms);
  };

  const complete = (known: Knowledge): void => {
    const cut = [...known.oldestMs].filter(
      ([partition]) => (known.ranges.get(partition)?.startOffset ?? 0) > 0,
    );
    known.fold.complete(new Map(cut));
    known.isComplete = true;
  };

  const readBack = async (known: Knowledge): Promise<void> => {
    const { signal } = known.over;
    const isOver = (): boolean => signal.aborted;
    for (let [failures, isNewest] = [0, true]; !signal.aborted;) {
      try {
        const stretch = known.stretches.next(startsOf(await ranges()));
        if (stretch) await readStretch(known, stretch, isNewest);
        else complete(known);
        [failures, isNewest, problem] = [0, false, null];
        change();
        // Now, and not when a page waits for it.
        all();
        if (stretch === null) return;
      } catch (error) {
        if (isOver()) return;
        problem = `What is older in ${topic} cannot be read now (${messageOf(error)}): it is tried again.`;
        change();
        await clock.sleep(backoffMs(BACKOFF, failures++, random()), signal).catch(() => undefined);
      }
    }
  };

  const begin = (found: ReadonlyMap<number, Range>): void => {
    if (goesOn) {
      goesOn = false;
      return;
    }
    now.over.abort(new Error("the journal is read anew"));
    if (isOther) other.found(now.places);
    isOther = false;
    unread.forget();
    const known = (now = newKnowledge(found));
    [isBegun, shorter, problem] = [true, 0, null];
    reading = Promise.all([reading, readBack(known)]).then(() => undefined);
    change();
  };

  const takeNew = (record: Incoming): boolean => {
    const { partition, offset, timestampMs } = record;
    const place = now.places.get(partition);
    if (!place) return false;
    if (offset < place.next) {
      isOther = place.last?.offset !== offset || place.last.timestampMs !== timestampMs;
      return !isOther;
    }
    const entry = reader.entry(record);
    if (entry instanceof Promise) {
      unread.comes(partition, entry);
      goesOn = true;
      return false;
    }
    unread.read(partition);
    other.saw(record);
    place.next = offset + 1;
    place.last = { offset, timestampMs };
    if (!entry) now.unreadable += 1;
    else void Promise.resolve(addFacts(entry, now.fold.take(entry))).then(change, () => undefined);
    change();
    return true;
  };

  const tail = startTail(
    { topic, groupId: services.ownGroup("console-end"), sessionTimeoutMs },
    {
      begin,
      position: (partition) => {
        const place = now.places.get(partition);
        return place ? (place.last?.offset ?? place.next) : null;
      },
      take: takeNew,
    },
    { ...services, ranges: () => unread.untilAgain().then(ranges) },
  );

  const problemNow = (): string | null => {
    const { up, detail } = tail.state();
    if (!up && detail !== "not started yet" && detail !== "not joined yet")
      return `${topic} cannot be followed now (${detail}): what is shown may be old.`;
    const unreadable = `${now.unreadable} records of ${topic} cannot be read by this version: there may be more doubts than are shown.`;
    const all = [unread.problem(), problem, other.problem(), now.unreadable === 0 ? null : unreadable];
    return all.filter((each) => each !== null).join(" ") || null;
  };
  const progress = (): Progress => ({
    isComplete: isBegun && now.isComplete,
    read: now.read,
    total: recordsIn(now.ranges),
    sinceMs: knownSinceMs(now, clock.now()),
    problem: problemNow(),
  });
  const describedOf = (open: InDoubt): Doubt => {
    const { standing } = open;
    const { facts } = standing.doubt;
    const last = described.get(standing);
    if (last && last.facts === facts) return last.doubt;
    const doubt = describe(topic, open);
    described.set(standing, { facts, doubt });
    return doubt;
  };
  const all = (): Doubt[] => {
    if (sorted) return sorted;
    held = now.fold.held();
    const found = now.fold.doubts().map(describedOf);
    return (sorted = found.sort((a, b) => a.atMs - b.atMs || a.place.offset - b.place.offset));
  };

  return {
    doubts: () => {
      const doubts = all();
      const oldestAtMs = doubts[0]?.atMs ?? null;
      return { count: doubts.length, oldestAtMs, underWay: held, progress: progress() };
    },
    page: (from, count) => {
      const doubts = all();
      return { doubts: doubts.slice(from, from + count), count: doubts.length, progress: progress() };
    },
    of: (commandId) => all().filter((doubt) => doubt.commandId === commandId),
    saw: (found) => {
      if (now.fold.forgetBefore(startsOf(found))) change();
      const isShorter = [...now.places].some(([p, { next }]) => (found.get(p)?.endOffset ?? 0) < next);
      shorter = isShorter ? shorter + 1 : 0;
      if (shorter < SHORTER_LOOKS) return;
      isOther = true;
      tail.restart();
    },
    close: async () => {
      closed.abort(new Error("closed"));
      now.over.abort(new Error("closed"));
      await Promise.all([tail.stop(), reading]);
      // What was begun while the tail ended.
      now.over.abort(new Error("closed"));
      await reading;
    },
  };
};
