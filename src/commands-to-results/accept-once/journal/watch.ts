import type { View } from "../view.ts";
import { protocolErrorOf } from "../../../kafka/errors.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { messageOf } from "../../../runtime/errors.ts";
import { sentenceOf, type Health } from "../../../runtime/health.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Ranges, TopicRanges } from "../../../kafka/ranges.ts";
import { droppedText, journalIdentity } from "./log-identity.ts";
import type { Services } from "../../../kafka/wire/services.ts";

type Options = {
  topic: string;
  view: View;
  /** How many the journal had when it was opened. It must keep them: their number decides where a key stands. */
  partitions: number;
  /**
   * The notes in the group's commits. Bounded in time; rejects if the group cannot be asked, which is not the same as
   * no notes.
   */
  notes: () => Promise<readonly string[]>;
  /** Why the topic, as it is set now, may forget accepts whose quotes live. Bounded in time. */
  problems: () => Promise<readonly string[]>;
  /** Where an entry with this key stands. */
  partitionOf: (key: Buffer) => number;
  /** Called when a command may begin again, and when it may not any more. */
  fits: (isFit: boolean) => void;
  ranges: () => Promise<TopicRanges>;
};

const CHECK_EVERY_MS = 1_000;
/** How often the view forgets what retention has deleted. */
const FORGET_EVERY_MS = 600_000;
/** How often the topic's settings are asked for. Kafka deletes by a changed one within minutes. */
const SETTINGS_EVERY_MS = 5_000;
/** A broker that was frozen may report its old end for a moment. */
const MISSING_LOOKS = 3;
/** Marks the number of partitions in a note. */
const COUNT = "partitions:";

/**
 * Watches that the journal is still the same log, and is kept so that it remembers accepts. One that was recreated,
 * purged or cut short has forgotten who may call. Then no command is taken and no call begins, in this process and in
 * those that start after it.
 */
export const watchJournal = (options: Options, { clock, log }: Pick<Services, "clock" | "log">) => {
  const { topic, view } = options;
  const identity = journalIdentity(clock);
  let recalled = false;
  let waiting = false;
  let forgotAt = clock.monotonic();
  let askedAt = clock.monotonic();
  /** What is wrong, each for the operator. The journal is another log: final. */
  let lost: Health | null = null;
  /** It does not hold what was read from it. Not final: a new leader may hold back its last records. */
  let missing: Health | null = null;
  let looksMissing = 0;
  let unfit: Health | null = null;
  /** The group's commits hold a note of this number of partitions: who counts others sees it, and stops. */
  let isCounted = false;
  /** This process counts other partitions than the group: its note must not replace theirs. */
  let isForeign = false;

  const mayBegin = (): boolean => unfit === null && isCounted;
  const trustAsFound = (): void => view.trust(lost === null && missing === null);
  const lose = (what: string): void => {
    if (lost !== null) return;
    lost = { kind: "lost", topic, cause: what };
    log.error({ topic, detail: sentenceOf(lost) }, "journal.lost");
    trustAsFound();
  };

  const countIs = (partitions: number, by: string): void => {
    if (partitions !== options.partitions)
      lose(
        `has other partitions than before: ${options.partitions} as this replica knows it, ${partitions} ${by}`,
      );
  };
  const compare = (notes: readonly string[]): void => {
    const counts = notes.flatMap((note) => note.split(" ").filter((entry) => entry.startsWith(COUNT)));
    for (const count of counts.map((entry) => Number(entry.slice(COUNT.length)))) {
      isForeign ||= count !== options.partitions;
      countIs(count, "as its group does");
    }
    if (isCounted || isForeign || counts.length === 0) return;
    isCounted = true;
    if (mayBegin()) options.fits(true);
  };

  const checkStart = (ranges: Ranges): void => {
    const dropped = identity.dropped(ranges);
    if (dropped !== null) lose(droppedText(dropped));
  };
  const checkEnd = (behind: string | null): void => {
    looksMissing = behind === null ? 0 : looksMissing + 1;
    if (behind === null && missing !== null) {
      missing = null;
      log.info({ topic }, "journal.found");
    } else if (behind !== null && missing === null && looksMissing >= MISSING_LOOKS) {
      missing = { kind: "missing", topic, cause: behind };
      log.error({ topic, detail: sentenceOf(missing) }, "journal.missing");
    }
    trustAsFound();
  };
  /** Commands go on once all settings are right again: if entries are lost meanwhile, `checkStart` notices. */
  const checkSettings = async (): Promise<void> => {
    if (clock.monotonic() - askedAt < SETTINGS_EVERY_MS) return;
    askedAt = clock.monotonic();
    const [problem] = await options.problems();
    const couldBegin = mayBegin();
    const wasFit = unfit === null;
    unfit = problem === undefined ? null : { kind: "unfit", cause: problem };
    if (wasFit === (unfit === null)) return;
    if (unfit) log.error({ topic, detail: sentenceOf(unfit) }, "journal.unfit");
    else log.info({ topic }, "journal.fit");
    if (couldBegin !== mayBegin()) options.fits(!couldBegin);
  };
  const forget = (ranges: Ranges): void => {
    if (!view.ready() || clock.monotonic() - forgotAt < FORGET_EVERY_MS) return;
    forgotAt = clock.monotonic();
    for (const [partition, { startOffset }] of ranges) view.forgetBefore({ partition, offset: startOffset });
  };
  const check = async (): Promise<void> => {
    const lasts = identity.lasts();
    const { ranges, missing: unasked } = await options.ranges().catch((error: unknown): TopicRanges => {
      if (protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION")
        return { ranges: new Map(), missing: new Set() };
      throw error;
    });
    const partitions = ranges.size + unasked.size;
    if (partitions > options.partitions) countIs(partitions, "now");
    checkStart(ranges);
    checkEnd(identity.missing(ranges, new Map([...lasts].filter(([partition]) => !unasked.has(partition)))));
    forget(ranges);
    await checkSettings();
  };
  const stopped = new AbortController();
  const watching = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(CHECK_EVERY_MS, stopped.signal);
      // While Kafka does not answer there is nothing to see.
      await check().catch(() => undefined);
    }
  };
  void watching().catch(() => undefined);

  const recall = async (): Promise<void> => {
    const notes = await options.notes().catch((error: unknown) => {
      const reason = messageOf(error);
      if (!waiting) log.warn({ topic, reason }, "journal.notes.waiting");
      waiting = true;
      throw new Error(`what the group knows of ${topic} cannot be asked for: ${reason}`, { cause: error });
    });
    for (const note of notes) identity.recall(note);
    recalled = true;
    compare(notes);
  };

  return {
    /** The ranges to read, after the group's notes are known. Rejects while one of the two cannot be asked for. */
    ranges: async (): Promise<TopicRanges> => {
      if (!recalled) await recall();
      return options.ranges();
    },
    /** These partitions of the journal are about to be read from the start of their ranges. */
    begin: (ranges: Ranges, partitions: number): void => {
      checkStart(ranges);
      // A topic never loses partitions: this is another topic, and the missing partition has no end that the view
      // could wait for.
      for (const partition of identity.lasts().keys())
        if (partition >= partitions) lose(`has no partition ${partition} any more, which was read from it`);
      countIs(partitions, "now");
      for (const [partition, { startOffset, endOffset }] of ranges)
        if (partition < options.partitions)
          view.begin(partition, { startOffset, endOffset: Math.max(endOffset, identity.reach(partition)) });
    },
    /** False if this record is not from the journal that this process, or its group, has read before. */
    isOurs: (record: Incoming): boolean => {
      const { partition, offset, key } = record;
      const contradiction = identity.contradiction(record);
      if (contradiction !== null) lose(contradiction);
      const expected = key === null ? partition : options.partitionOf(key);
      if (expected !== partition)
        lose(`has other partitions than before: offset ${offset} of ${partition} is of ${expected} now`);
      return lost === null;
    },
    learn: identity.learn,
    /**
     * Called before an append; what it returns is called after. An entry that lands before what was read landed in
     * another log. One that lands in another partition is where nobody looks up its key.
     */
    appending: (partition: number): ((written: RecordPosition) => void) => {
      const reach = identity.reach(partition);
      return ({ partition: at, offset }) => {
        if (at !== partition)
          lose(`has other partitions than before: an entry for partition ${partition} is in ${at}`);
        else if (offset < reach)
          lose(`took a new entry at offset ${offset} of partition ${partition}, where one stood`);
      };
    },
    /**
     * Metadata for the group's commits, by which a later start recognises this journal; null before the old notes are
     * known, and where they contradict this process.
     */
    note: (): string | null =>
      recalled && !isForeign ? `${COUNT}${options.partitions} ${identity.note()}`.trim() : null,
    /** Compares the group's notes with this journal. Must be called before this process replaces one. */
    compare,
    /** Must be called when this process's note was committed: from the second look on, no other number was overlooked. */
    committed: async (): Promise<void> => {
      if (!isCounted && recalled) compare(await options.notes());
    },
    /** Whether commands may begin: the topic is kept as it must be, and the group knows how many partitions it has. */
    mayBegin,
    /** What is wrong with the journal; null while nothing is. */
    fault: (): Health | null => lost ?? missing ?? unfit,
    stop: (): void => stopped.abort(),
  };
};
