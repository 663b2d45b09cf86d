import { EventTooLarge, type PublishOnce } from "../notification/publish-once.ts";
import type { Notification } from "../notification/notification.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import type { Digest } from "../runtime/digest.ts";
import { messageOf } from "../runtime/errors.ts";
import { backfillBatch, inLanes, type Missing } from "./backfill.ts";
import { createComparison, type Comparison } from "./comparison.ts";
import type { Period } from "./period.ts";
import type { AnswerForm } from "./read-answer.ts";
import { createPartnerLogReader, UNREAD, type LogReaderPorts } from "./read-partner-log.ts";

export type RunRequest = {
  period: Period;
  /** Younger notifications are left to their webhooks. Milliseconds. */
  minAgeMs: number;
  /** Compares only, publishes nothing. */
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
  /** In a dry run: those that would be published. */
  published: number;
  held: number;
  tooYoung: number;
  /** Entries that are not understood, and events that are larger than the topic takes. */
  unreadable: number;
  otherType: number;
  reasons: string[];
};

/** `lanes`: how many transactions are published at the same time. `mostNotifications`: how many a run compares. */
type LogOptions = AnswerForm & { lanes: number; mostNotifications: number };

/** `isRead`: whether the events of a transaction were read. `reason`: why some were not; null where all were. */
type ReadEvents = { isRead: (transactionId: string) => boolean; reason: string | null };

/** What the flow does outside of itself. */
export type LogPorts = LogReaderPorts & {
  /** Whether the deduplication window holds an event with this identity. */
  isInWindow: (identity: Digest) => boolean;
  /** Calls `onEvent` for every event in the topic since an instant, but for partitions that nobody can read now. */
  readEvents: (
    sinceMs: number,
    onEvent: (event: TransactionStatusUpdated) => void,
    signal: AbortSignal,
  ) => Promise<ReadEvents>;
  publishOnce: PublishOnce;
  /** Throws when this replica is no longer the leader. Called before each event. */
  mayPublish: () => void;
  onPublished: (event: TransactionStatusUpdated) => void;
};

/** The log's clock may be shifted by a time zone: then the event of an entry is found, and the entry held back. */
const SHIFT_MARGIN_MS = 86_400_000;
/** The log is asked for by days, and an entry without an instant may be of any of them. */
const UNDATED_MARGIN_MS = 4 * 86_400_000;

const ALL_READ: ReadEvents = { isRead: () => true, reason: null };

const NONE_KNOWN =
  "not one of the log's notifications is known, although events of the same time are: their form may differ";
const OTHER_INSTANT =
  "notifications of which the topic has the transaction and status at another instant are held back";
const TOO_LARGE = "an event is larger than the topic takes";
const tooMany = (most: number): string =>
  `the log holds more than the ${most} notifications that a run compares: let runs cover less time`;
const CHANGED = "the second read lacked entries of the first";

/**
 * The whole path: compares the partner's log for a period with the published events, and publishes what is missing.
 * Keeps only digests while it compares; where something is missing, it reads the log again for it.
 */
export const logToEvents = (options: LogOptions, ports: LogPorts) => {
  const readPartnerLog = createPartnerLogReader(options, ports);

  /** Publishes the missing notifications of one transaction, oldest first. */
  const publishInOrder = async (comparison: Comparison, items: readonly Missing[]): Promise<void> => {
    for (const { key, notification } of items) {
      ports.mayPublish();
      try {
        const outcome = await ports.publishOnce(notification, {
          receivedAt: ports.clock.now(),
          source: "NOTIFICATION_LOG",
          trace: null,
          facts: comparison.factsOf(notification.transactionId),
        });
        comparison.setOutcome(key, outcome.kind === "published" ? "published" : "known");
        if (outcome.kind === "published") ports.onPublished(outcome.event);
      } catch (error) {
        if (!(error instanceof EventTooLarge)) throw error;
        comparison.setOutcome(key, "refused");
      }
    }
  };

  /** Reads the log again and publishes what is missing, batch by batch. Resolves with why the run is not complete. */
  const backfill = async (
    comparison: Comparison,
    { isRead, reason }: ReadEvents,
    request: RunRequest,
    signal: AbortSignal,
  ): Promise<string[]> => {
    const { counts } = comparison;
    const reasons = new Set<string>();
    while (counts.missing > 0) {
      const before = counts.missing;
      const batch = backfillBatch();
      const onNotification = (notification: Notification): boolean => {
        if (!isRead(notification.transactionId)) return comparison.holdUnread(notification);
        const key = batch.hasRoomFor(notification) ? comparison.reserve(notification, request.force) : null;
        if (key !== null && !request.dryRun) batch.add(key, notification);
        return key !== null;
      };
      const reading = await readPartnerLog(request.period, { onNotification, signal });
      for (const reason of reading.reasons) reasons.add(reason);
      await inLanes(options.lanes, batch.byTransaction(), (items) => publishInOrder(comparison, items));
      if (counts.missing === before) return [...reasons, CHANGED];
    }
    if (counts.unread > 0 && reason !== null) reasons.add(reason);
    if (counts.refused > 0) reasons.add(TOO_LARGE);
    return [...reasons];
  };

  return async (request: RunRequest, signal: AbortSignal): Promise<Report> => {
    const { period, minAgeMs, dryRun, force } = request;
    const { mostNotifications: most } = options;
    const comparison = createComparison({
      period,
      youngSinceMs: ports.clock.now() - minAgeMs,
      isInWindow: ports.isInWindow,
      mask: options.mask,
      most,
    });
    const { counts } = comparison;
    let reading = UNREAD;

    const report = (
      result: Report["result"],
      more: readonly string[],
      held = counts.held + counts.unread,
    ): Report => {
      const notifications = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const planned = dryRun ? counts.reserved : 0;
      const isCompared = counts.missing + counts.unread + counts.reserved === planned;
      return {
        result,
        isWhole: reading.isWhole && result !== "failed" && isCompared,
        entries: Math.max(reading.entries, notifications) + reading.unreadable + reading.otherType,
        known: counts.known,
        published: counts.published + planned,
        held,
        tooYoung: counts["too young"],
        unreadable: reading.unreadable + counts.refused,
        otherType: reading.otherType,
        reasons: [...new Set([...reading.reasons, ...more])],
      };
    };

    try {
      reading = await readPartnerLog(period, { onNotification: comparison.add, signal });
      if (comparison.isCut())
        reading = { ...reading, isWhole: false, reasons: [...reading.reasons, tooMany(most)] };
      const marginMs = comparison.undated() > 0 ? UNDATED_MARGIN_MS : SHIFT_MARGIN_MS;
      const events =
        counts.missing + counts["too young"] > 0
          ? await ports.readEvents(period.fromMs - marginMs, comparison.addEvent, signal)
          : ALL_READ;
      if (!force && comparison.isOtherForm()) return report("suspicious", [NONE_KNOWN], counts.missing);
      const more = await backfill(comparison, events, request, signal);
      if (counts.held > 0) return report("suspicious", [...more, OTHER_INSTANT]);
      const isComplete = reading.reasons.length + more.length === 0;
      return report(isComplete ? "complete" : reading.isRead ? "incomplete" : "failed", more);
    } catch (error) {
      signal.throwIfAborted();
      return report("failed", [messageOf(error)]);
    }
  };
};

export type Reconcile = ReturnType<typeof logToEvents>;
