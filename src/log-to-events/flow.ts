import { EventTooLarge } from "../notification/publish-once.ts";
import type { Notification } from "../notification/notification.ts";
import type { TransactionFacts } from "../notification/transaction-facts.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import type { Digest } from "../runtime/digest.ts";
import { messageOf } from "../runtime/errors.ts";
import { backfillBatch, inLanes } from "./backfill.ts";
import { createComparison } from "./comparison.ts";
import type { Period } from "./period.ts";
import type { AnswerForm } from "./read-answer.ts";
import { createPartnerLogReader, UNREAD, type LogReaderPorts } from "./read-partner-log.ts";

export type RunRequest = {
  period: Period;
  dryRun: boolean;
  /** Publishes what is held back, too. */
  force: boolean;
};

export type Report = {
  result: "complete" | "incomplete" | "suspicious" | "failed";
  /** Whether the whole period was read and compared; single entries may be unreadable, held back or too large. */
  isWhole: boolean;
  /** A notification that is listed several times counts as often here, and once in the others. */
  entries: number;
  known: number;
  /** A dry run counts those that would be published. */
  published: number;
  held: number;
  tooYoung: number;
  /** Entries that are not understood, and events that are larger than the topic takes. */
  unreadable: number;
  otherType: number;
  reasons: string[];
};

type LogOptions = AnswerForm & {
  /** Younger notifications are left to their webhooks. Milliseconds. */
  minAgeMs: number;
  /** How many transactions are published at the same time. */
  lanes: number;
  /** How many notifications a run compares. */
  mostNotifications: number;
};

/** `isRead`: whether the events of a transaction were read. `reason`: why some were not; null where all were. */
type ReadEvents = { isRead: (transactionId: string) => boolean; reason: string | null };

export type LogPorts = LogReaderPorts & {
  /** Whether the deduplication window holds the event with this identity. */
  isInWindow: (identity: Digest) => boolean;
  /** Calls `onEvent` for every event in the topic since an instant, but for partitions that nobody can read now. */
  readEvents: (
    sinceMs: number,
    onEvent: (event: TransactionStatusUpdated) => void,
    signal: AbortSignal,
  ) => Promise<ReadEvents>;
  /** Publishes an event, unless the deduplication window knows it. Rejects as PublishOnce does. */
  publish: (notification: Notification, facts: TransactionFacts) => Promise<"published" | "known">;
};

/** The log's clock may be shifted by a time zone: then the event of an entry is found, and the entry held back. */
const SHIFT_MARGIN_MS = 86_400_000;
/** The log is asked for by days, and an entry without an instant may be of any of them. */
const UNDATED_MARGIN_MS = 4 * 86_400_000;

const NONE_KNOWN =
  "not one of the log's notifications is known, although events of the same time are: their form may differ";
const OTHER_INSTANT =
  "notifications of which the topic has the transaction and status at another instant are held back";
const TOO_LARGE = "an event is larger than the topic takes";
const CHANGED = "the second read lacked entries of the first";
const tooMany = (most: number): string =>
  `the log holds more than the ${most} notifications that a run compares: let runs cover less time`;

/** Keeps only digests while it compares; where something is missing, it reads the log again for it. */
export const logToEvents = (options: LogOptions, ports: LogPorts) => {
  const readPartnerLog = createPartnerLogReader(options, ports);

  return async (request: RunRequest, signal: AbortSignal): Promise<Report> => {
    const { period, dryRun, force } = request;
    const youngSinceMs = ports.clock.now() - options.minAgeMs;
    const comparison = createComparison(period, youngSinceMs, { ...options, ...ports });
    const { counts } = comparison;
    /** What became of the missing ones. `unread`: the events of their transactions cannot be read now. */
    const outcomes = { published: 0, known: 0, held: 0, unread: 0, tooLarge: 0 };
    const reasons = new Set<string>();
    let reading = UNREAD;

    const report = (result: Report["result"], ...more: string[]): Report => {
      const { known, tooYoung, missing, taken } = counts;
      const { otherType, unreadable } = reading;
      const isWhole = reading.isWhole && !comparison.isCut();
      return {
        result,
        isWhole: isWhole && result !== "failed" && missing + outcomes.unread === 0,
        entries: Math.max(reading.entries, known + tooYoung + missing + taken) + unreadable + otherType,
        known: known + outcomes.known,
        published: outcomes.published,
        held: outcomes.held + outcomes.unread,
        tooYoung,
        unreadable: unreadable + outcomes.tooLarge,
        otherType,
        reasons: [...new Set([...reading.reasons, ...reasons, ...more])],
      };
    };

    const publishInOrder = async (notifications: readonly Notification[]): Promise<void> => {
      for (const notification of notifications)
        try {
          outcomes[await ports.publish(notification, comparison.factsOf(notification))] += 1;
        } catch (error) {
          if (!(error instanceof EventTooLarge)) throw error;
          outcomes.tooLarge += 1;
        }
    };

    const backfill = async ({ isRead, reason }: ReadEvents): Promise<void> => {
      while (counts.missing > 0) {
        const missingBefore = counts.missing;
        const batch = backfillBatch();
        const onNotification = (notification: Notification): boolean => {
          const missingEntry = batch.hasRoomFor(notification) ? comparison.take(notification) : null;
          if (missingEntry === null) return true;
          if (!isRead(notification.transactionId)) outcomes.unread += 1;
          else if (missingEntry.isElsewhere && !force) outcomes.held += 1;
          else if (dryRun) outcomes.published += 1;
          else batch.add(notification);
          return true;
        };
        const secondReading = await readPartnerLog(period, { onNotification, signal });
        for (const each of secondReading.reasons) reasons.add(each);
        await inLanes(options.lanes, batch.byTransaction(), publishInOrder);
        if (counts.missing < missingBefore) continue;
        reasons.add(CHANGED);
        break;
      }
      if (outcomes.tooLarge > 0) reasons.add(TOO_LARGE);
      if (outcomes.unread > 0 && reason !== null) reasons.add(reason);
    };

    try {
      reading = await readPartnerLog(period, { onNotification: comparison.add, signal });
      if (comparison.isCut()) reasons.add(tooMany(options.mostNotifications));
      if (counts.missing + counts.tooYoung > 0) {
        const marginMs = comparison.hasUndated() ? UNDATED_MARGIN_MS : SHIFT_MARGIN_MS;
        const events = await ports.readEvents(period.fromMs - marginMs, comparison.addEvent, signal);
        if (!force && comparison.isOtherForm()) {
          outcomes.held = counts.missing;
          return report("suspicious", NONE_KNOWN);
        }
        await backfill(events);
      }
      if (outcomes.held > 0) return report("suspicious", OTHER_INSTANT);
      if (reading.reasons.length + reasons.size === 0) return report("complete");
      return report(reading.isUnderstood ? "incomplete" : "failed");
    } catch (error) {
      signal.throwIfAborted();
      return report("failed", messageOf(error));
    }
  };
};

export type Reconcile = ReturnType<typeof logToEvents>;
