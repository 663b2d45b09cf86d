import type { View } from "../view.ts";
import { protocolErrorOf } from "../../../kafka/errors.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { messageOf } from "../../../runtime/errors.ts";
import { sentenceOf, type Health } from "../../../runtime/health.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Range } from "../../../kafka/consume/read-log.ts";
import { droppedText, journalIdentity } from "../../../kafka/cluster/log-identity.ts";
import type { Services } from "../../../services/services.ts";

type Ranges = ReadonlyMap<number, Range>;
type Options = {
  topic: string;
  view: View;
  /**
   * The notes in the group's commits. Bounded in time; rejects if the group cannot be asked, which is not the same as
   * no notes.
   */
  notes: () => Promise<readonly string[]>;
  /** Why the topic, as it is set now, may forget accepts whose quotes live. Bounded in time. */
  problems: () => Promise<readonly string[]>;
  /** Where an entry with this key stands. */
  partitionOf: (key: Buffer) => number;
  /** Called at each change: false while a setting of the topic keeps accepts from being remembered. */
  fits: (isFit: boolean) => void;
  ranges: () => Promise<Ranges>;
};

const CHECK_EVERY_MS = 1_000;
/** How often the view forgets what retention has deleted. */
const FORGET_EVERY_MS = 600_000;
/** How often the topic's settings are asked for. Kafka deletes by a changed one within minutes. */
const SETTINGS_EVERY_MS = 5_000;
/** A broker that was frozen may report its old end for a moment. */
const MISSING_LOOKS = 3;

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

  const trustAsFound = (): void => view.trust(lost === null && missing === null);
  const lose = (what: string): void => {
    if (lost !== null) return;
    lost = { kind: "lost", topic, cause: what };
    log.error({ topic, detail: sentenceOf(lost) }, "journal.lost");
    trustAsFound();
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
    const wasFit = unfit === null;
    unfit = problem === undefined ? null : { kind: "unfit", cause: problem };
    if (wasFit === (unfit === null)) return;
    if (unfit) log.error({ topic, detail: sentenceOf(unfit) }, "journal.unfit");
    else log.info({ topic }, "journal.fit");
    options.fits(!wasFit);
  };
  const forget = (ranges: Ranges): void => {
    if (!view.ready() || clock.monotonic() - forgotAt < FORGET_EVERY_MS) return;
    forgotAt = clock.monotonic();
    for (const [partition, { startOffset }] of ranges) view.forgetBefore({ partition, offset: startOffset });
  };
  const check = async (): Promise<void> => {
    const lasts = identity.lasts();
    const ranges = await options.ranges().catch((error: unknown) => {
      if (protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION") return new Map<number, Range>();
      throw error;
    });
    checkStart(ranges);
    checkEnd(identity.missing(ranges, lasts));
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
  };

  return {
    /** The ranges to read, after the group's notes are known. Rejects while one of the two cannot be asked for. */
    ranges: async (): Promise<Ranges> => {
      if (!recalled) await recall();
      return options.ranges();
    },
    /** The journal is about to be read from the start of these ranges. */
    begin: (ranges: Ranges): void => {
      checkStart(ranges);
      // A topic never loses partitions: this is another topic, and the missing partition has no end that the view
      // could wait for.
      for (const partition of identity.lasts().keys())
        if (!ranges.has(partition)) lose(`has no partition ${partition} any more, which was read from it`);
      for (const [partition, { startOffset, endOffset }] of ranges)
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
     * known.
     */
    note: (): string | null => (recalled ? identity.note() : null),
    /** What is wrong with the journal; null while nothing is. */
    fault: (): Health | null => lost ?? missing ?? unfit,
    stop: (): void => stopped.abort(),
  };
};
