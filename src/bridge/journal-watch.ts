import type { View } from "../commands-to-results/journal/view.ts";
import { protocolErrorOf } from "../kafka/errors.ts";
import type { Incoming, Written } from "../kafka/record.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Range } from "../kafka/consume/tail.ts";
import { createWitness, type Dropped } from "../kafka/cluster/witness.ts";
import type { Kit } from "./kit.ts";

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
/** A broker that was just woken may tell an end of the past for an instant. */
const MISSING_LOOKS = 3;
/** A leader that moves is away for some seconds. A watch that sees nothing for longer is none. */
const BLIND_AFTER_MS = 5_000;
/** How often the view is told what the log has deleted. */
const FORGET_EVERY_MS = 600_000;
/** A quote lives for one business day: what is older is not worth stopping for. */
const HORIZON_MS = 86_400_000;
/** A retention below this, of a topic that is kept for weeks, is a way of emptying it. */
const PURGE_MS = 3_600_000;
const RETENTION_TRIES = 3;
const ADVICE = 'nothing is begun without it, see "The journal is lost" in docs/operations.md';

/**
 * Watches over the journal being the log that it was: deleted and created again, purged, or cut short, it has forgotten who may call.
 * Then no command is taken and no call is begun any more, in this process and in those that come after it.
 */
export const watchJournal = (options: Options, { clock, log }: Pick<Kit, "clock" | "log">): JournalWatch => {
  const { topic, view } = options;
  let horizonMs = HORIZON_MS;
  const witness = createWitness({ horizonMs: () => horizonMs, now: clock.now });
  let recalled = false;
  let waiting = false;
  let lost: string | null = null;
  let missing: string | null = null;
  let looksMissing = 0;
  /** Entries are gone, and whether by right is being asked. */
  let asking = false;
  let looking = false;
  let sawAt = clock.monotonic();
  let isBlind = false;
  let forgotAt = clock.monotonic();

  const lose = (what: string): void => {
    if (lost === null) {
      lost = `${topic} ${what}: ${ADVICE}`;
      log.error({ topic, detail: lost }, "journal.lost");
    }
    view.trust(false);
  };

  const trustAsFound = (): void => view.trust(lost === null && missing === null && !asking);

  /** Only a retention that is known now may explain what is gone: it can have been changed, or could not be asked before. */
  const judge = async ({ partition, offset, ageMs }: Dropped): Promise<void> => {
    let retentionMs: number | null = null;
    for (let tries = 0; retentionMs === null && tries < RETENTION_TRIES; tries += 1) {
      if (tries > 0) await clock.sleep(LOOK_EVERY_MS);
      retentionMs = await options.retentionMs().catch(() => null);
    }
    const keptMs = retentionMs === null || retentionMs < 0 ? Infinity : retentionMs;
    horizonMs = keptMs < PURGE_MS ? HORIZON_MS : Math.min(HORIZON_MS, keptMs / 2);
    if (ageMs < horizonMs) {
      const gone = `has dropped offset ${offset} of partition ${partition}, which was ${Math.round(ageMs / 1_000)} s old`;
      const kept = retentionMs === null ? "cannot be asked for" : `is ${retentionMs} ms`;
      lose(`${gone} (its retention ${kept})`);
    }
    asking = false;
    trustAsFound();
  };
  const checkStart = async (ranges: ReadonlyMap<number, Range>): Promise<void> => {
    const dropped = asking ? null : witness.dropped(ranges);
    if (dropped === null) return;
    asking = true;
    trustAsFound();
    await judge(dropped);
  };
  /** Not for good: a leader that has just taken over may not be allowed to show its last records yet. */
  const checkEnd = (behind: string | null): void => {
    looksMissing = behind === null ? 0 : looksMissing + 1;
    if (behind === null) {
      if (missing !== null) log.info({ topic }, "journal.found");
      missing = null;
    } else if (missing === null && looksMissing >= MISSING_LOOKS) {
      missing = `${topic} ${behind}: ${ADVICE}`;
      log.error({ topic, detail: missing }, "journal.missing");
    }
    trustAsFound();
  };

  const look = async (): Promise<void> => {
    const lasts = witness.lasts();
    const ranges = await options.ranges().catch((error: unknown) => {
      if (protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION") return new Map<number, Range>();
      throw error;
    });
    await checkStart(ranges);
    checkEnd(witness.missing(ranges, lasts));
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
        if (!ranges.has(partition)) lose(`has no partition ${partition} any more, which was read from it`);
      for (const [partition, { startOffset, endOffset }] of ranges)
        view.begin(partition, { startOffset, endOffset: Math.max(endOffset, witness.reach(partition)) });
    },
    isOurs: (record) => {
      const contradiction = witness.contradiction(record);
      if (contradiction !== null) lose(contradiction);
      return lost === null;
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
          lose(
            `has other partitions than before: an entry for partition ${partition} is in ${written.partition}`,
          );
        else if (written.offset < reach)
          lose(`took a new entry at offset ${written.offset} of partition ${partition}, where one stood`);
      };
    },
    note: () => (recalled ? witness.note() : null),
    fault: () => lost ?? missing,
    stop: () => clearInterval(looks),
  };
};
