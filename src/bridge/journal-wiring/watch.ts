import type { View } from "../../commands-to-results/journal-rules/view.ts";
import { protocolErrorOf } from "../../kafka/errors.ts";
import type { Incoming } from "../../kafka/record.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Range } from "../../kafka/consume/tail.ts";
import { createLogIdentity } from "../../kafka/cluster/log-identity.ts";
import type { Services } from "../services.ts";
import { createVerdict } from "./verdict.ts";

export type JournalWatch = {
  /** The ranges to read, after the group's notes are known. Rejects while one of the two cannot be asked for. */
  ranges: () => Promise<ReadonlyMap<number, Range>>;
  /** The journal is about to be read from the start of these ranges. */
  begin: (ranges: ReadonlyMap<number, Range>) => void;
  /** False if this record is not from the journal that this process, or its group, has read before. */
  isOurs: (record: Incoming) => boolean;
  learn: (record: Incoming) => void;
  /** The offset to go on from. The last known record is read once more, to compare it. */
  position: (partition: number) => number | null;
  /**
   * Called before an append; what it returns is called after. An entry that lands before what was read landed in another log. One that
   * lands in another partition is where nobody looks up its key.
   */
  appending: (partition: number) => (written: RecordPosition) => void;
  /** Metadata for the group's commits, by which a later start recognises this journal; null before the old notes are known. */
  note: () => string | null;
  /** What is wrong with the journal; null while nothing is. */
  fault: () => string | null;
  stop: () => void;
};

type Options = {
  topic: string;
  view: View;
  /** The notes in the group's commits. Bounded in time; rejects if the group cannot be asked, which is not the same as no notes. */
  notes: () => Promise<readonly string[]>;
  /** The topic's retention: negative for ever, null if it may not be asked for. Bounded in time. */
  retentionMs: () => Promise<number | null>;
  ranges: () => Promise<ReadonlyMap<number, Range>>;
};

const CHECK_EVERY_MS = 1_000;
/** A leader change takes some seconds. After this long without an answer the journal counts as unwatched. */
const BLIND_AFTER_MS = 5_000;
/** How often the view forgets what retention has deleted. */
const FORGET_EVERY_MS = 600_000;

/**
 * Watches that the journal is still the same log. A journal that was recreated, purged or cut short has forgotten who may call. Then no
 * command is taken and no call begins, in this process and in those that start after it.
 */
export const watchJournal = (
  options: Options,
  { clock, log }: Pick<Services, "clock" | "log">,
): JournalWatch => {
  const { topic, view, retentionMs } = options;
  const verdict = createVerdict({ topic, retentionMs, trust: view.trust }, { clock, log });
  const identity = createLogIdentity({ horizonMs: verdict.horizonMs, now: clock.now });
  let recalled = false;
  let waiting = false;
  let checking = false;
  let checkedAt = clock.monotonic();
  let isBlind = false;
  let forgotAt = clock.monotonic();

  const checkStart = async (ranges: ReadonlyMap<number, Range>): Promise<void> => {
    const dropped = verdict.isAsking() ? null : identity.dropped(ranges);
    if (dropped !== null) await verdict.judge(dropped);
  };
  const check = async (): Promise<void> => {
    const lasts = identity.lasts();
    const ranges = await options.ranges().catch((error: unknown) => {
      if (protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION") return new Map<number, Range>();
      throw error;
    });
    await checkStart(ranges);
    verdict.sawEnd(identity.missing(ranges, lasts));
    if (!view.ready() || clock.monotonic() - forgotAt < FORGET_EVERY_MS) return;
    forgotAt = clock.monotonic();
    for (const [partition, { startOffset }] of ranges) view.forgetBefore({ partition, offset: startOffset });
  };
  const checkAgain = async (): Promise<void> => {
    try {
      await check();
      checkedAt = clock.monotonic();
      isBlind = false;
    } catch (error) {
      const blindMs = Math.round(clock.monotonic() - checkedAt);
      if (isBlind || blindMs < BLIND_AFTER_MS) return;
      isBlind = true;
      log.warn({ topic, reason: messageOf(error), blindMs }, "journal.unwatched");
    }
  };
  const checks = setInterval(() => {
    if (checking) return;
    checking = true;
    void checkAgain().finally(() => (checking = false));
  }, CHECK_EVERY_MS);

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
    ranges: async () => {
      if (!recalled) await recall();
      return options.ranges();
    },
    begin: (ranges) => {
      void checkStart(ranges);
      // A topic never loses partitions: this is another topic, and the missing partition has no end that the view could wait for.
      for (const partition of identity.lasts().keys())
        if (!ranges.has(partition))
          verdict.lose(`has no partition ${partition} any more, which was read from it`);
      for (const [partition, { startOffset, endOffset }] of ranges)
        view.begin(partition, { startOffset, endOffset: Math.max(endOffset, identity.reach(partition)) });
    },
    isOurs: (record) => {
      const contradiction = identity.contradiction(record);
      if (contradiction !== null) verdict.lose(contradiction);
      return !verdict.isLost();
    },
    learn: identity.learn,
    position: (partition) => {
      const next = view.nextOffset(partition);
      return next !== null && next > 0 && next === identity.reach(partition) ? next - 1 : next;
    },
    appending: (partition) => {
      const reach = identity.reach(partition);
      return (written) => {
        if (written.partition !== partition)
          verdict.lose(
            `has other partitions than before: an entry for partition ${partition} is in ${written.partition}`,
          );
        else if (written.offset < reach)
          verdict.lose(
            `took a new entry at offset ${written.offset} of partition ${partition}, where one stood`,
          );
      };
    },
    note: () => (recalled ? identity.note() : null),
    fault: verdict.fault,
    stop: () => clearInterval(checks),
  };
};
