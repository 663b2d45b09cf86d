import type { View } from "../../commands-to-results/journal-rules/view.ts";
import { protocolErrorOf } from "../../kafka/errors.ts";
import type { Incoming, Written } from "../../kafka/record.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Range } from "../../kafka/consume/tail.ts";
import { createLogIdentity } from "../../kafka/cluster/log-identity.ts";
import type { Services } from "../services.ts";
import { createVerdict } from "./verdict.ts";

export type JournalWatch = {
  /** What there is to begin with, once it is known what the group knows of the journal. Rejects while either cannot be asked for. */
  ranges: () => Promise<ReadonlyMap<number, Range>>;
  /** The journal is about to be read from the start of these ranges. */
  begin: (ranges: ReadonlyMap<number, Range>) => void;
  /** False: this record is not of the journal that this process, or its group, has read before. */
  isOurs: (record: Incoming) => boolean;
  learn: (record: Incoming) => void;
  /** Where to read on from: what is known is read once more where reading goes on, to be compared. */
  position: (partition: number) => number | null;
  /**
   * Gives what an append is to be followed by: an entry that lands before what was read has landed in another log, and one that lands in
   * another partition where nobody looks for its key.
   */
  appending: (partition: number) => (written: Written) => void;
  /** For the offsets that the group commits: how to know the journal again; null before it is known what they say already. */
  note: () => string | null;
  /** What is wrong with the journal; null while nothing is. */
  fault: () => string | null;
  stop: () => void;
};

type Options = {
  topic: string;
  view: View;
  /** What the group knows of the journal. Bounded in time; rejects when it cannot be asked, which is not the same as knowing nothing. */
  notes: () => Promise<readonly string[]>;
  /** How long the topic is kept: negative for ever, null where nobody may know. Bounded in time. */
  retentionMs: () => Promise<number | null>;
  ranges: () => Promise<ReadonlyMap<number, Range>>;
};

const LOOK_EVERY_MS = 1_000;
/** A leader that moves is away for some seconds. A watch that sees nothing for longer is none. */
const BLIND_AFTER_MS = 5_000;
/** How often the view is told what the log has deleted. */
const FORGET_EVERY_MS = 600_000;

/**
 * Watches over the journal being the log that it was: deleted and created again, purged, or cut short, it has forgotten who may call.
 * Then no command is taken and no call is begun any more, in this process and in those that come after it.
 */
export const watchJournal = (
  options: Options,
  { clock, log }: Pick<Services, "clock" | "log">,
): JournalWatch => {
  const { topic, view, retentionMs } = options;
  const verdict = createVerdict({ topic, retentionMs, trust: view.trust }, { clock, log });
  const witness = createLogIdentity({ horizonMs: verdict.horizonMs, now: clock.now });
  let recalled = false;
  let waiting = false;
  let looking = false;
  let sawAt = clock.monotonic();
  let isBlind = false;
  let forgotAt = clock.monotonic();

  const checkStart = async (ranges: ReadonlyMap<number, Range>): Promise<void> => {
    const dropped = verdict.isAsking() ? null : witness.dropped(ranges);
    if (dropped !== null) await verdict.judge(dropped);
  };
  const look = async (): Promise<void> => {
    const lasts = witness.lasts();
    const ranges = await options.ranges().catch((error: unknown) => {
      if (protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION") return new Map<number, Range>();
      throw error;
    });
    await checkStart(ranges);
    verdict.sawEnd(witness.missing(ranges, lasts));
    if (!view.ready() || clock.monotonic() - forgotAt < FORGET_EVERY_MS) return;
    forgotAt = clock.monotonic();
    for (const [partition, { startOffset }] of ranges) view.forgetBefore({ partition, offset: startOffset });
  };
  const lookAgain = async (): Promise<void> => {
    try {
      await look();
      sawAt = clock.monotonic();
      isBlind = false;
    } catch (error) {
      const blindMs = Math.round(clock.monotonic() - sawAt);
      if (isBlind || blindMs < BLIND_AFTER_MS) return;
      isBlind = true;
      log.warn({ topic, reason: messageOf(error), blindMs }, "journal.unwatched");
    }
  };
  const looks = setInterval(() => {
    if (looking) return;
    looking = true;
    void lookAgain().finally(() => (looking = false));
  }, LOOK_EVERY_MS);

  const recall = async (): Promise<void> => {
    const notes = await options.notes().catch((error: unknown) => {
      const reason = messageOf(error);
      if (!waiting) log.warn({ topic, reason }, "journal.notes.waiting");
      waiting = true;
      throw new Error(`what the group knows of ${topic} cannot be asked for: ${reason}`, { cause: error });
    });
    for (const note of notes) witness.recall(note);
    recalled = true;
  };

  return {
    ranges: async () => {
      if (!recalled) await recall();
      return options.ranges();
    },
    begin: (ranges) => {
      void checkStart(ranges);
      // No topic ever has fewer partitions than before: this is another one, and what it lacks has no end that the view could wait for.
      for (const partition of witness.lasts().keys())
        if (!ranges.has(partition))
          verdict.lose(`has no partition ${partition} any more, which was read from it`);
      for (const [partition, { startOffset, endOffset }] of ranges)
        view.begin(partition, { startOffset, endOffset: Math.max(endOffset, witness.reach(partition)) });
    },
    isOurs: (record) => {
      const contradiction = witness.contradiction(record);
      if (contradiction !== null) verdict.lose(contradiction);
      return !verdict.isLost();
    },
    learn: witness.learn,
    position: (partition) => {
      const next = view.nextOffset(partition);
      return next !== null && next > 0 && next === witness.reach(partition) ? next - 1 : next;
    },
    appending: (partition) => {
      const reach = witness.reach(partition);
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
    note: () => (recalled ? witness.note() : null),
    fault: verdict.fault,
    stop: () => clearInterval(looks),
  };
};
