import type { Digest } from "../runtime/digest.ts";
import type { Notification } from "../notification/notification.ts";
import { EventTooLarge, type PublishOnce } from "../notification/publish-once.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { messageOf } from "../runtime/errors.ts";
import { createLogReader, type LogReaderOptions, type LogReaderPorts, type Reading } from "./read-log.ts";
import { comparison, type Comparison } from "./comparison.ts";
import { backfillBatch } from "./backfill-batch.ts";
import type { Period } from "./period.ts";

export type RunRequest = {
  period: Period;
  /** Younger notifications are left to their webhooks. Milliseconds. */
  minAgeMs: number;
  /** Compares only, publishes nothing. */
  dryRun: boolean;
  /** Publishes even when the result is suspicious. */
  force: boolean;
  /** The latest instant of the monotonic clock for which a Retry-After of the partner is waited. */
  giveUpAt: number;
};

export type Report = {
  result: "complete" | "incomplete" | "suspicious" | "failed";
  /** Whether the whole period was read and compared; single entries may be unreadable or too large. */
  isWhole: boolean;
  /** Entries of the period; a notification that is listed several times counts as often. */
  entries: number;
  /** Notifications, each counted once. */
  known: number;
  /** Notifications, each counted once. In a dry run: those that would be published. */
  published: number;
  /** Notifications, each counted once. */
  tooYoung: number;
  unreadable: number;
  /** Why the run is not complete, for people. */
  reasons: string[];
};

export type LogOptions = LogReaderOptions & {
  /** How many transactions are published at the same time. */
  lanes: number;
};

/** What the flow does outside of itself. */
export type LogPorts = LogReaderPorts & {
  /** Whether the deduplication window holds an event with this identity. */
  seen: (identity: Digest) => boolean;
  /** Calls `take` for every event in the topic since an instant. Rejects when it cannot read all of them. */
  readEvents: (
    sinceMs: number,
    take: (event: TransactionStatusUpdated) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  publishOnce: PublishOnce;
  /** Throws when this replica is no longer the leader. Called before each event. */
  mayPublish: () => void;
  published: (event: TransactionStatusUpdated) => void;
  progress: (step: Progress) => void;
};

export type Progress = { step: "reading the log" | "reading the topic" | "publishing"; done: number };

/**
 * From this many missing notifications on, with none known although the topic has events of the same period,
 * the log's form is taken to differ from the webhooks': it is no outage, and publishing would duplicate every
 * event.
 */
const SUSPICIOUS_COUNT = 20;
/** The partner's clock may be ahead of Kafka's. */
const CLOCK_MARGIN_MS = 3_600_000;
/** The log is asked for by days, and an entry without an instant may be of any of them. */
const UNDATED_MARGIN_MS = 4 * 86_400_000;
const REPORT_EVERY = 1_000;

const SUSPICIOUS_REASON =
  "not one of the log's notifications is known, although events of the same time are: their form may differ";
const TOO_LARGE = "an event is larger than the topic takes";
const CHANGED = "the log did not show again what it had shown";

const resultOf = (isRead: boolean, reasons: readonly string[]): Report["result"] =>
  reasons.length === 0 ? "complete" : isRead ? "incomplete" : "failed";

/**
 * The whole path: compares the partner's log for a period with the published events, and publishes what is
 * missing. Keeps only digests while it compares; where something is missing, it reads the log again for it.
 */
export const logToEvents = (options: LogOptions, ports: LogPorts) => {
  const readLog = createLogReader(options, ports);
  const { progress } = ports;

  const isSuspicious = ({ counts, eventsOfPeriod }: Comparison): boolean =>
    counts.known === 0 && counts.missing >= SUSPICIOUS_COUNT && eventsOfPeriod() > 0;

  /** Marks as known what is in the topic. */
  const lookUp = (compared: Comparison, { period }: RunRequest, signal: AbortSignal): Promise<void> => {
    const sinceMs = period.fromMs - (compared.undated() > 0 ? UNDATED_MARGIN_MS : CLOCK_MARGIN_MS);
    let done = 0;
    return ports.readEvents(
      sinceMs,
      (event) => {
        compared.addEvent(event);
        done += 1;
        if (done % REPORT_EVERY === 0) progress({ step: "reading the topic", done });
      },
      signal,
    );
  };

  /** Publishes the missing notifications of one transaction, the oldest first. */
  const publishInOrder = async (
    compared: Comparison,
    notifications: readonly Notification[],
    reasons: Set<string>,
  ): Promise<void> => {
    for (const notification of notifications) {
      const identity = compared.missing(notification);
      if (identity === null) continue;
      ports.mayPublish();
      try {
        const published = await ports.publishOnce(notification, {
          receivedAt: ports.clock.now(),
          source: "NOTIFICATION_LOG",
          trace: null,
          facts: compared.factsOf(notification.transactionId),
        });
        compared.setOutcome(identity, published.kind === "published" ? "published" : "known");
        if (published.kind === "published") ports.published(published.event);
        if (compared.counts.published % REPORT_EVERY === 0)
          progress({ step: "publishing", done: compared.counts.published });
      } catch (error) {
        if (!(error instanceof EventTooLarge)) throw error;
        compared.setOutcome(identity, "refused");
        reasons.add(TOO_LARGE);
      }
    }
  };

  /**
   * Reads the log again and publishes what is missing, batch by batch. Resolves with the reasons why the run
   * is not complete.
   */
  const backfill = async (
    compared: Comparison,
    { period, giveUpAt }: RunRequest,
    signal: AbortSignal,
  ): Promise<string[]> => {
    const reasons = new Set<string>();
    for (;;) {
      const batch = backfillBatch();
      const reading = await readLog(
        period,
        (notification) => {
          batch.shown(notification);
          const identity = compared.missing(notification);
          if (identity !== null) batch.add(identity, notification);
          return identity !== null;
        },
        { giveUpAt, signal },
      );
      for (const reason of reading.reasons) reasons.add(reason);
      const transactions = batch.byTransaction();
      if (transactions.length === 0) break;
      const publishNext = async (): Promise<void> => {
        for (let next = transactions.pop(); next !== undefined; next = transactions.pop())
          await publishInOrder(compared, next, reasons);
      };
      const lanes = Array.from({ length: options.lanes }, publishNext);
      // When one lane fails, the others finish their transaction and begin no other.
      await Promise.all(lanes).finally(() => {
        transactions.length = 0;
        return Promise.allSettled(lanes);
      });
      if (compared.counts.missing === 0) break;
    }
    if (compared.counts.missing > 0) reasons.add(CHANGED);
    return [...reasons];
  };

  return async (request: RunRequest, signal: AbortSignal): Promise<Report> => {
    const { period, minAgeMs, dryRun, force, giveUpAt } = request;
    const youngSinceMs = ports.clock.now() - minAgeMs;
    const compared = comparison({ period, youngSinceMs, seen: ports.seen });
    const { counts } = compared;
    const reading: Reading = { isRead: false, isWhole: false, entries: 0, unreadable: 0, reasons: [] };
    let taken = 0;

    const report = (result: Report["result"], more: readonly string[] = []): Report => {
      const notifications = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const wouldPublish = dryRun && (result === "complete" || result === "incomplete");
      return {
        result,
        isWhole:
          reading.isWhole && (result === "complete" || (result === "incomplete" && counts.missing === 0)),
        entries: Math.max(reading.entries, notifications) + reading.unreadable,
        known: counts.known,
        published: wouldPublish ? counts.missing : counts.published,
        tooYoung: counts["too young"],
        unreadable: reading.unreadable + counts.refused,
        reasons: [...new Set([...reading.reasons, ...more])],
      };
    };

    try {
      const take = (notification: Notification): boolean => {
        taken += 1;
        if (taken % REPORT_EVERY === 0) progress({ step: "reading the log", done: taken });
        return compared.add(notification);
      };
      Object.assign(reading, await readLog(period, take, { giveUpAt, signal }));
      if (counts.missing + counts["too young"] > 0) await lookUp(compared, request, signal);
      if (!force && isSuspicious(compared)) return report("suspicious", [SUSPICIOUS_REASON]);
      const more = counts.missing > 0 && !dryRun ? await backfill(compared, request, signal) : [];
      return report(resultOf(reading.isRead, [...reading.reasons, ...more]), more);
    } catch (error) {
      signal.throwIfAborted();
      return report("failed", [messageOf(error)]);
    }
  };
};

export type Reconcile = ReturnType<typeof logToEvents>;
