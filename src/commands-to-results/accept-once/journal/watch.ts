import type { View } from "../view.ts";
import { protocolErrorOf } from "../../../kafka/errors.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { messageOf } from "../../../runtime/errors.ts";
import { sentenceOf, type Health } from "../../../runtime/health.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Ranges, TopicRanges } from "../../../kafka/ranges.ts";
import { journalIdentity } from "./log-identity.ts";
import type { Services } from "../../../kafka/wire/services.ts";

type Options = {
  topic: string;
  view: View;
  /** How many the journal had when it was opened. It must keep them: their number decides where a key stands. */
  partitions: number;
  /** The notes in the group's commits. Rejects if the group cannot be asked, which is not the same as no notes. */
  notes: () => Promise<readonly string[]>;
  /** Why the topic, as it is set now, may forget accepts whose quotes live. */
  problems: () => Promise<readonly string[]>;
  partitionOf: (key: Buffer) => number;
  /** Called when `mayBegin` may say something else than before. */
  mayBeginChanged: () => void;
  ranges: () => Promise<TopicRanges>;
};

const CHECK_EVERY_MS = 1_000;
/** How often the topic's settings are asked for. Kafka deletes by a changed one within minutes. */
const SETTINGS_EVERY_MS = 5_000;
/** A broker that was frozen may report its old end for a moment. */
const MISSING_LOOKS = 3;
const COUNT = "partitions:";

/**
 * A journal that was recreated, purged or cut short has forgotten who may call. Then no command is taken and no call
 * begins, in this process and in those that start after it.
 */
export const watchJournal = (options: Options, { clock, log }: Pick<Services, "clock" | "log">) => {
  const { topic, view } = options;
  const identity = journalIdentity(clock);
  /** `counted`: they hold this number of partitions. `foreign`: another one, which this process must not replace. */
  let groupNotes: "unread" | "uncounted" | "counted" | "foreign" = "unread";
  let isWaitWarned = false;
  /** The first offset of each partition when the view last forgot what stood before it. */
  const starts = new Map<number, number>();
  let settingsReadAt = clock.monotonic();
  /** The journal is another log. This is final. */
  let lost: Health | null = null;
  /** It does not hold what was read from it. A new leader may hold back its last records, so this may end. */
  let missing: Health | null = null;
  let looksMissing = 0;
  let unfit: Health | null = null;

  const mayBegin = (): boolean => unfit === null && groupNotes === "counted";
  const updateTrust = (): void => view.trust(lost === null && missing === null);
  const lose = (cause: string | null): void => {
    if (lost !== null || cause === null) return;
    lost = { kind: "lost", topic, cause };
    log.error({ topic, detail: sentenceOf(lost) }, "journal.lost");
    updateTrust();
  };

  const requireCount = (partitions: number, by: string): void => {
    if (partitions !== options.partitions)
      lose(
        `has other partitions than before: ${options.partitions} as this replica knows it, ${partitions} ${by}`,
      );
  };
  const compare = (notes: readonly string[]): void => {
    const entries = notes.flatMap((note) => note.split(" ")).filter((entry) => entry.startsWith(COUNT));
    const counts = entries.map((entry) => Number(entry.slice(COUNT.length)));
    for (const count of counts) requireCount(count, "as its group does");
    if (counts.some((count) => count !== options.partitions)) groupNotes = "foreign";
    if (counts.length === 0 || groupNotes === "counted" || groupNotes === "foreign") return;
    groupNotes = "counted";
    options.mayBeginChanged();
  };

  const checkStart = (ranges: Ranges): void => lose(identity.dropped(ranges));
  const checkEnd = (behind: string | null): void => {
    looksMissing = behind === null ? 0 : looksMissing + 1;
    if (behind === null && missing !== null) {
      missing = null;
      log.info({ topic }, "journal.found");
    } else if (behind !== null && missing === null && looksMissing >= MISSING_LOOKS) {
      missing = { kind: "missing", topic, cause: behind };
      log.error({ topic, detail: sentenceOf(missing) }, "journal.missing");
    }
    updateTrust();
  };
  /** Commands go on once all settings are right again: if entries are lost meanwhile, `checkStart` notices. */
  const checkSettings = async (): Promise<void> => {
    if (clock.monotonic() - settingsReadAt < SETTINGS_EVERY_MS) return;
    settingsReadAt = clock.monotonic();
    const [problem] = await options.problems();
    const wasFit = unfit === null;
    unfit = problem === undefined ? null : { kind: "unfit", cause: problem };
    if (wasFit === (unfit === null)) return;
    if (unfit) log.error({ topic, detail: sentenceOf(unfit) }, "journal.unfit");
    else log.info({ topic }, "journal.fit");
    options.mayBeginChanged();
  };
  /** Forgets what retention has deleted, at once: a result that the view knows is asked for until it can be read. */
  const forget = (ranges: Ranges): void => {
    if (!view.ready()) return;
    for (const [partition, { startOffset }] of ranges) {
      if (starts.get(partition) === startOffset) continue;
      starts.set(partition, startOffset);
      view.forgetBefore({ partition, offset: startOffset });
    }
  };
  const check = async (): Promise<void> => {
    const lasts = identity.lasts();
    const { ranges, missing: unasked } = await options.ranges().catch((error: unknown): TopicRanges => {
      if (protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION")
        return { ranges: new Map(), missing: new Set() };
      throw error;
    });
    const partitions = ranges.size + unasked.size;
    if (partitions > options.partitions) requireCount(partitions, "now");
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
      if (!isWaitWarned) log.warn({ topic, reason }, "journal.notes.waiting");
      isWaitWarned = true;
      throw new Error(`what the group knows of ${topic} cannot be asked for: ${reason}`, { cause: error });
    });
    notes.forEach(identity.recall);
    if (groupNotes === "unread") groupNotes = "uncounted";
    compare(notes);
  };

  return {
    /** The ranges to read, after the group's notes are known. Rejects while one of the two cannot be asked for. */
    ranges: async (): Promise<TopicRanges> => {
      if (groupNotes === "unread") await recall();
      return options.ranges();
    },
    begin: (ranges: Ranges, partitions: number): void => {
      checkStart(ranges);
      // A topic never loses partitions: this is another topic, and the view would wait for the missing one's end.
      for (const partition of identity.lasts().keys())
        if (partition >= partitions) lose(`has no partition ${partition} any more, which was read from it`);
      requireCount(partitions, "now");
      for (const [partition, { startOffset, endOffset }] of ranges)
        if (partition < options.partitions) {
          starts.set(partition, startOffset);
          view.begin(partition, { startOffset, endOffset: Math.max(endOffset, identity.reach(partition)) });
        }
    },
    /** False if this record is not from the journal that this process, or its group, has read before. */
    isOurs: (record: Incoming): boolean => {
      const { partition, offset, key } = record;
      lose(identity.contradiction(record));
      const expected = key === null ? partition : options.partitionOf(key);
      if (expected !== partition)
        lose(`has other partitions than before: offset ${offset} of ${partition} is of ${expected} now`);
      return lost === null;
    },
    learn: identity.learn,
    /** Gives what to call after the append: the entry may land in another log, or in a partition where nobody looks. */
    appending: (partition: number): ((written: RecordPosition) => void) => {
      const reach = identity.reach(partition);
      return (written) => {
        if (written.partition !== partition)
          lose(
            `has other partitions than before: an entry for partition ${partition} is in ${written.partition}`,
          );
        else if (written.offset < reach)
          lose(`took a new entry at offset ${written.offset} of partition ${partition}, where one stood`);
      };
    },
    /** Recognises the journal at a later start. Null before old notes are known, or if they contradict this process. */
    note: (): string | null =>
      groupNotes === "unread" || groupNotes === "foreign"
        ? null
        : `${COUNT}${options.partitions} ${identity.note()}`.trim(),
    /** Compares the group's notes with this journal. Must be called before this process replaces one. */
    compare,
    /** Must be called when this process's note was committed: from the second look on, no other number was overlooked. */
    committed: async (): Promise<void> => {
      if (groupNotes === "uncounted") compare(await options.notes());
    },
    mayBegin,
    fault: (): Health | null => lost ?? missing ?? unfit,
    stop: (): void => stopped.abort(),
  };
};
